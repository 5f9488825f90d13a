import { readdirSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { createProgram } from "../../src/cli/program.ts";

const ROOT = new URL("../../", import.meta.url);

interface Manifest {
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
}

const manifestOf = (file: string): Manifest => JSON.parse(readFileSync(new URL(file, ROOT), "utf8"));
const manifest = manifestOf("package.json");
const SIMULATOR = manifestOf("packages/simulator/package.json");
const commands: readonly Command[] = createProgram().commands;

/** npm commands of its own, which take arguments without `--`. */
const NPM_COMMANDS = ["audit", "ci", "install", "sbom", "version"];

interface Documented {
  readonly where: string;
  /** From `npm` or `prtg-exporter` on, without comments. */
  readonly words: readonly string[];
}

/** In shell or untyped blocks, and in `code`. */
function documentedCommands(file: string): Documented[] {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of readFileSync(new URL(file, ROOT), "utf8").split("\n")) {
    const language = /^```(\w*)/.exec(line)?.[1];
    if (language !== undefined) fence = fence === undefined ? language : undefined;
    else if (fence === undefined) lines.push(...[...line.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code));
    else if (["", "sh", "bash", "console"].includes(fence)) lines.push(line);
  }
  return lines
    .flatMap((line) => line.replace(/(^|\s)#.*/, "").split("&&"))
    .map((line) => line.trim().replace(/^\$ /, "").split(/\s+/))
    .filter(([program, ...args]) => (program === "npm" || program === "prtg-exporter") && args.length > 0)
    .map((words) => ({ where: `${file}: ${words.join(" ")}`, words }));
}

function faultOf(words: readonly string[]): string | undefined {
  const [program, first = "", ...rest] = words;
  if (program === "prtg-exporter") return faultOfExporter(words.slice(1));
  if (NPM_COMMANDS.includes(first)) return undefined;
  const [script = "", ...others] = first === "run" ? rest : [first, ...rest];
  const [option, workspace] = others;
  const { scripts } = option === "--workspace" && workspace === SIMULATOR.name ? SIMULATOR : manifest;
  const command = scripts[script];
  if (command === undefined) return `package.json has no script ${script}`;
  const [separator, ...args] = scripts === SIMULATOR.scripts ? others.slice(2) : others;
  if (separator === undefined) return undefined;
  if (separator !== "--") return "arguments of a script come after --";
  if (!command.startsWith("node bin/prtg-exporter.js")) return undefined;
  return faultOfExporter([...command.split(" ").slice(2), ...args]);
}

function faultOfExporter([name = "", ...args]: readonly string[]): string | undefined {
  if (["--help", "--version"].includes(name)) return undefined;
  const command = commands.find((each) => each.name() === name);
  if (command === undefined) return `there is no command ${name}`;
  const known = ["--help", ...command.options.map(({ long }) => long)];
  const unknown = args
    .map((arg) => arg.split("=", 1)[0] ?? "")
    .find((arg) => /^--?\w/.test(arg) && !known.includes(arg));
  return unknown === undefined ? undefined : `${name} has no flag ${unknown}`;
}

const documents = ["", "docs/"].flatMap((folder) =>
  readdirSync(new URL(`./${folder}`, ROOT))
    .filter((name) => name.endsWith(".md"))
    .map((name) => folder + name),
);

describe("documented command lines", () => {
  test.each(documents)("exist in %s", (file) => {
    for (const { where, words } of documentedCommands(file)) expect(faultOf(words), where).toBeUndefined();
  });

  test("include those of the README and of CONTRIBUTING", () => {
    const lines = ["README.md", "CONTRIBUTING.md"].flatMap(documentedCommands).map(({ words }) => words.join(" "));
    expect(lines).toEqual(expect.arrayContaining(["npm run demo", "npm test", "npm run test:real"]));
    expect(lines).toContain("npm start -- serve --config.file prtg-exporter.yaml");
    expect(lines).toContain("npm start -- check --config.file prtg-exporter.yaml");
  });

  test.each([
    ["npm run nothing", "package.json has no script nothing"],
    ["npm start serve", "arguments of a script come after --"],
    ["npm start -- servee", "there is no command servee"],
    ["npm start -- serve --config", "serve has no flag --config"],
    ["npm run demo -- --sensor 3", "demo has no flag --sensor"],
    ["prtg-exporter check --once", "check has no flag --once"],
  ])("fail the test with %s", (line, fault) => {
    expect(faultOf(line.split(" "))).toBe(fault);
  });
});

describe("every flag", () => {
  test.each(commands.map((command) => [command.name(), command] as const))(
    "has a description and its default in %s",
    (_name, command) => {
      expect(command.description()).not.toBe("");
      for (const option of command.options) {
        expect(option.description.length, option.long).toBeGreaterThan(8);
        if (option.required && option.defaultValue !== undefined) {
          expect(command.helpInformation(), option.long).toMatch(new RegExp(`${option.long} <[^>]+>.*?default:`, "s"));
        }
      }
    },
  );
});
