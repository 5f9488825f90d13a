import type { Command } from "commander";
import { commandWords, type FlagWords, programFlags } from "./words.ts";

const NO_COMMAND = "-n __fish_use_subcommand";

export function fishCompletion(program: Command): string {
  const lines = commandWords(program).flatMap(({ name, description, flags, choices }) => {
    const inside = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      line(NO_COMMAND, `-a ${name}`, description),
      ...flags.map((flag) => flagLine(inside, flag)),
      ...(choices.length === 0 ? [] : [line(inside, `-a '${choices.join(" ")}'`, "")]),
    ];
  });
  return `# fish completion for prtg-exporter. Load it with: prtg-exporter completion fish | source
complete -c prtg-exporter -f
${[...programFlags(program).map((flag) => flagLine(NO_COMMAND, flag)), ...lines].join("\n")}
`;
}

function flagLine(condition: string, { flag, description, value }: FlagWords): string {
  const kinds = { none: "", file: " -r -F", text: " -x" };
  const takes = typeof value === "string" ? kinds[value] : ` -x -a '${value.join(" ")}'`;
  return line(condition, `-l ${flag.replace(/^--/, "")}${takes}`, description);
}

function line(condition: string, what: string, description: string): string {
  const text = description === "" ? "" : ` -d '${description.replaceAll(/[\\']/g, "\\$&")}'`;
  return `complete -c prtg-exporter ${condition} ${what}${text}`;
}
