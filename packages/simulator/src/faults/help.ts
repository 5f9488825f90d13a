import faults from "../../data/fault-help.json" with { type: "json" };

/** Of the lines of `--help`, which fit a terminal of 80 columns. */
const WIDTH = 79;
const EFFECT_COLUMN = 38;

function faultLines([spelling = "", effect = ""]: readonly string[]): string {
  const lines = [`  ${spelling}`.padEnd(EFFECT_COLUMN)];
  if (lines[0]?.endsWith(" ") !== true) lines.push("".padEnd(EFFECT_COLUMN));
  for (const word of effect.split(" ")) {
    const line = lines.at(-1) ?? "";
    const isBegun = line.length > EFFECT_COLUMN;
    if (isBegun && line.length + 1 + word.length > WIDTH) lines.push("".padEnd(EFFECT_COLUMN).concat(word));
    else lines.splice(-1, 1, isBegun ? `${line} ${word}` : line.concat(word));
  }
  return lines.join("\n");
}

/** For `--help`. */
export const FAULT_HELP = `
Faults: name[=argument][@[METHOD:]path-glob[?query]][#share]
${faults.map(faultLines).join("\n")}
The glob applies to the path below /api/v2. ?limit=3000 selects requests with
this query parameter, #0.1 one request in ten, #3 the next three, #3,after=2
the three after the next two.
Example: --fault 'error=503@/experimental/sensors*#0.1' --fault latency=50ms`;
