/** What can be written, and what it does; the grammar is in grammar.ts. */
const FAULTS: readonly (readonly [spelling: string, effect: string])[] = [
  ["latency=200ms | latency=100ms-2s", "waits before the answer"],
  ["error=503 | error=500,body=none", "an error, with an error object or without"],
  ["  error=429,retry-after=2s | error=429,wait-for=2s", "an error that says when to come again"],
  ["  error=503,code=LICENSE_INACTIVE", "an error object with this code"],
  ["hang", "never answers"],
  ["cut | cut=start | cut=reset", "breaks the connection off in the body, or before the answer"],
  ["truncate=0.5", "a body that is cut short"],
  ["endless | endless=1MB", "a list that never ends, at so many bytes a second"],
  ["endless-list", "every page is full, of objects that no page had before, and there is no total"],
  [
    "large=60MB | large=60MB,arrays | large=60MB,text",
    "a whole answer of that size: empty objects, arrays in arrays, one text",
  ],
  ["long-names=10MB", "the first object of a page has a name of that length"],
  ["html", "status 200 with an HTML page"],
  ["content-type=application/xml", "the right body under a wrong type"],
  ["redirect", "302 to a login page, as the classic web port answers"],
  ["unsupported-scheme", "401, as the classic web port answers a key"],
  ["missing | missing=501", "as if the endpoint did not exist"],
  ["drip=16kB", "sends so many bytes a second"],
  ["moving-list=delete|insert|reorder", "the list changes between two pages"],
  ["rounded=0", "values in lists rounded, timestamps off by a second"],
  ["execution-timeout=1500", "408 EXECUTION_TIMEOUT for larger pages"],
  ["wrong-total=3", "X-Total-Count is off"],
  ["odd-records=10", "every tenth record of a list is malformed"],
  [
    "text-values | text-values=de | text-values=odd",
    "values in lists are texts: in %, as en or de writes them, odd ones",
  ],
  ["short-rows=1", "rows of time series lack so many of their last values"],
  ["empty=list|null|204|body", "there is nothing, told in that way"],
  ["refuses=include:alerting", "400 where that is asked for, or a limit above: refuses=limit:1000"],
  ["parents=chain|cycle|self|lost", "whose child each object of a page is: of the one before, in a ring, ..."],
  ["twin-ids", "the second object of a page has the id of the first"],
  ["swapped-kinds", "groups have the ids of devices, and the other way round"],
  ["skew=+2h | skew=-90s", "answers as if it were so much later or earlier"],
  ["date=+2h | date=-90s", "only the Date header is off"],
  ["restart=5s", "ends connections and sessions, and does not listen for so long"],
];

/** Of the lines of `--help`, which fit a terminal of 80 columns. */
const WIDTH = 79;
const EFFECT_COLUMN = 38;

function faultLines([spelling, effect]: readonly [string, string]): string {
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
Faults: name[=argument][@[METHOD:]path-glob][#share]
${FAULTS.map(faultLines).join("\n")}
The glob is matched with the path below /api/v2; #0.1 hits one request in ten,
#3 the next three.
Example: --fault 'error=503@/experimental/sensors*#0.1' --fault latency=50ms`;
