import { FaultSyntaxError, parseFault } from "prtg-simulator/src/faults/grammar.ts";
import { compileFilter } from "prtg-simulator/src/filter/compile.ts";
import { FilterError } from "prtg-simulator/src/filter/filter-error.ts";
import { StaticWorld } from "prtg-simulator/test/support/static-world.ts";
import { everythingOf, scopeOf } from "prtg-simulator/test/support/tree-filter.ts";
import { pathGlob } from "../../src/lib/glob.ts";
import { compilePattern, matches, parsePattern } from "../../src/mapping/rules/pattern.ts";
import { mutateText, type TextSource } from "./mutate-text.ts";
import { pick } from "./random.ts";
import type { FuzzInput, FuzzTarget } from "./target.ts";

const FILTERS: TextSource = {
  corpus: [
    'id = "100" and type = device',
    'name in ["Ping", "CPU", "nobody"] or not (status = up)',
    'basic.tags contains "cisco" and type != channel',
    "intervalgroup.interval >= 59.5s and intervalgroup.interval != 60s",
    'descendants (favorite = true and name = "Gr\\"o\\\\n") or parents status = down',
    "((status = down) or (status = up and not favorite = true)) and primary = nil",
    'children id in ["0", "1", "10"] and priority > 3',
    "last_measurement.value < -1.5 or basic.host = nil",
  ],
  words: (
    'and or not in contains matches nil true false ( ) [ ] , = != <= >= < > "a" "" descendants children parents ancestors ' +
    "type status id name parentid kind favorite priority basic.tags intervalgroup.interval 60s 1.5 -1 device sensor up down"
  )
    .split(" ")
    .map((word) => ` ${word} `),
};

/** Pattern, line feed, text. */
const GLOBS: TextSource = {
  corpus: [
    "Berlin/**\nBerlin/Switches/core 1/Ping",
    "**/Ping?\nBerlin/Switches/core 1/Pings",
    "*/Sw*es/core*/*\nBerlin/Switches/core (1) [x]/Ping",
    "/Disk (?<letter>[A-Z]):.*/\nDisk C: (NTFS)",
    "/^(a+)+b|c{2,5}$/\naaaaaaaaaaaaaaaaaaaaaaaa",
    "Free*\nFree Bytes C:",
    // A backtracking matcher would hang here.
    `${"*a".repeat(8)}*b\n${"a".repeat(300)}`,
    `/(a*)*(a|a)*b/\n${"a".repeat(300)}`,
  ],
  words: [
    "*",
    "**",
    "?",
    "/",
    "(",
    ")",
    "[",
    "]",
    "\\",
    "+",
    "{9}",
    "|",
    ".",
    "^",
    "$",
    "(?i)",
    "\\p{L}",
    "(?<n>",
    "\\",
  ],
};

const FAULTS: TextSource = {
  corpus: [
    "latency=100ms-2s@GET:/sensors*#0.1",
    "error=503,code=LICENSE_INACTIVE,body=none#3",
    "drip=16kB@/experimental/*",
    "truncate=0.5#2",
    "skew=+2h",
    "odd-records=10@*",
  ],
  words: ["=", "@", "#", ",", "-", "ms", "s", "kB", "hang", "parents=cycle", "restart=5s", "*", "/", "GET:", "0.5"],
};

export function openFilterTarget(): FuzzTarget {
  const world = new StaticWorld();
  const everything = everythingOf(world);
  const scopes = { specification: scopeOf(world, "specification"), live: scopeOf(world, "live") };
  const matched = (pattern: string, text: string, isPath: boolean): boolean | undefined => {
    const compiled = compilePattern(parsePattern(pattern, isPath));
    return "fault" in compiled ? undefined : matches(compiled, text);
  };
  const parsers: Readonly<Record<string, (text: string) => void>> = {
    specification: (text) =>
      expectOnly(FilterError, () => everything.filter(compileFilter(text, scopes.specification))),
    live: (text) => expectOnly(FilterError, () => everything.filter(compileFilter(text, scopes.live))),
    glob: (text) => {
      const [pattern, path] = halves(text);
      void pathGlob(pattern)(path);
    },
    pattern: (text) => void matched(...halves(text), text.length % 2 === 0),
    fault: (text) => expectOnly(FaultSyntaxError, () => parseFault(text)),
  };
  const sources: Readonly<Record<string, TextSource>> = {
    specification: FILTERS,
    live: FILTERS,
    glob: GLOBS,
    pattern: GLOBS,
    fault: FAULTS,
  };
  const variants = ["specification", "specification", "specification", "live", "live", "glob", "pattern", "fault"];
  return {
    name: "filter",
    draw: (random) => {
      const variant = pick(random, variants);
      return { variant, text: mutateText(random, sources[variant] ?? FILTERS) };
    },
    run: ({ variant, text }: FuzzInput) => parsers[variant]?.(text),
  };
}

function halves(text: string): [string, string] {
  const at = text.indexOf("\n");
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function expectOnly(type: abstract new (...given: never[]) => Error, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof type)) throw error;
  }
}
