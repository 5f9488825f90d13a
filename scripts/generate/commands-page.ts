import type { Command, Option } from "commander";
import { createProgram } from "../../src/cli/program.ts";
import { code, pageHead, table } from "./markdown.ts";

const INTRODUCTION = `
All commands and flags of \`prtg-exporter\`. With \`--help\` a command prints the same. In a clone of the repository, write
\`npm start -- check\` instead of \`prtg-exporter check\`. In the image, put the command after the name of the image.

Without \`--config.file\`, the exporter reads one server from [environment variables](configuration.md#environment-variables).
Durations are written as \`30s\`, \`5m\` or \`1h30m\`. [Exit codes](errors.md#exit-codes) and [signals](errors.md#signals) have a page
of their own.

`;

/** What a command is for, and where to read on. */
const DETAILS: Readonly<Record<string, string>> = {
  init: "See [getting started](getting-started.md).",
  serve:
    "This is the exporter itself. It reads PRTG and changes nothing there. `--once` is for tests: it prints the page that a scrape would get. See [operations](operations.md), [reload](reload.md), [shards](deployment.md#several-replicas) and [standby pods](deployment.md#standby-pod).",
  check: "See [check before you start](operations.md#check-before-you-start).",
  map: "See [seeing what happens](mapping.md#seeing-what-happens).",
  backfill: "See [import history](backfill.md).",
  sync: "See [acknowledge and silence in one place](sync.md).",
  demo: "See [first graph with the demo](demo.md). `--fault` takes the [faults of the simulator](simulator.md#faults).",
  simulate: "See [simulator](simulator.md), with its [faults](simulator.md#faults).",
  "hash-password":
    "It asks on a terminal, and reads a line of standard input otherwise. See [TLS and users](web-configuration.md#tls-and-users-of-the-exporter).",
  completion:
    "The packages for Linux install the scripts. Elsewhere, load one at the start of your shell: `source <(prtg-exporter completion bash)`.",
};

/** Tests run without a terminal, so this default is not the one of users. */
const FORMAT = "--log.format <format>";

interface Use {
  readonly command: string;
  readonly option: Option;
}

export function commandsPage(): string {
  const { commands } = createProgram();
  const uses = new Map<string, Use[]>();
  for (const command of commands) {
    for (const option of command.options) {
      const known = uses.get(keyOf(option)) ?? [];
      uses.set(keyOf(option), [...known, { command: command.name(), option }]);
    }
  }
  const shared = [...uses.values()].filter((each) => each.length > 1);
  return [
    pageHead("Commands and flags", "src/cli/program.ts"),
    INTRODUCTION,
    table(
      ["Command", "What it does"],
      commands.map((command) => [`[${code(command.name())}](#prtg-exporter-${command.name()})`, sentence(command)]),
    ),
    ...commands.map((command) => section(command, uses)),
    "\n## Flags of several commands\n\n",
    table(
      ["Flag", "Default", "Meaning", "Commands"],
      shared.map((each) => [
        code(each[0]?.option.flags ?? ""),
        defaultsOf(each),
        meaningOf(each[0]?.option),
        each.map(({ command }) => code(command)).join(" "),
      ]),
    ),
  ].join("");
}

function section(command: Command, uses: ReadonlyMap<string, readonly Use[]>): string {
  const own = command.options.filter((option) => uses.get(keyOf(option))?.length === 1);
  const common = command.options.filter((option) => !own.includes(option));
  const rows = own.map((option) => [code(option.flags), defaultOf(option), meaningOf(option)]);
  const shared = common.map(({ long }) => code(long ?? "")).join(", ");
  const values = command.registeredArguments.map(
    (each) => `\nArgument \`<${each.name()}>\`: ${each.description}, ${each.argChoices?.map(code).join(", ")}.\n`,
  );
  return [
    `\n## ${code(`prtg-exporter ${command.name()}`)}\n\n${sentence(command)} ${DETAILS[command.name()]}\n`,
    ...values,
    rows.length === 0 ? "" : `\n${table(["Flag", "Default", "Meaning"], rows)}`,
    shared === "" ? "" : `\n[Flags of several commands](#flags-of-several-commands): ${shared}.\n`,
  ].join("");
}

/** Flags of one name can have two meanings. */
function keyOf({ flags, description }: Option): string {
  return `${flags} ${description}`;
}

function sentence(command: Command): string {
  const text = command.description();
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

function meaningOf(option: Option | undefined): string {
  const choices = option?.argChoices?.map(code).join(", ");
  const [text] = describedDefault(option?.description ?? "");
  return `${text.replace("see below", "[syntax](simulator.md#faults)")}${choices === undefined ? "" : ` (${choices})`}`;
}

/** A description may end with a default that depends on something. */
function describedDefault(description: string): readonly [text: string, value: string] {
  const { text = description, value = "" } = /^(?<text>.*) \(default: (?<value>.*)\)$/.exec(description)?.groups ?? {};
  return [text, value];
}

function defaultOf({ flags, description, defaultValue, defaultValueDescription }: Option): string {
  if (flags === FORMAT) return "`text` on a terminal, else `json`";
  if (defaultValueDescription !== undefined) {
    return /\d/.test(defaultValueDescription) ? code(defaultValueDescription) : defaultValueDescription;
  }
  if (defaultValue === undefined || defaultValue === false) return describedDefault(description)[1];
  return code(String(defaultValue));
}

/** The default of most commands, then those of the others. */
function defaultsOf(uses: readonly Use[]): string {
  const byDefault = Map.groupBy(uses, ({ option }) => defaultOf(option));
  const [[most = ""] = [], ...others] = [...byDefault].toSorted(([, a], [, b]) => b.length - a.length);
  const rest = others.flatMap(([value, each]) => each.map(({ command }) => `${code(command)} ${value}`));
  return [most, ...rest].join(", ");
}
