import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { completionScript } from "../../../src/cli/completion/completion.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const program = createProgram();
const flagsOf = (name: string) =>
  program.commands.find((command) => command.name() === name)?.options.flatMap(({ long }) => long ?? []) ?? [];

/** What bash offers for the last word, in a folder with these files. */
function completed(words: readonly string[], files: Readonly<Record<string, string>> = {}): string[] {
  const folder = temporaryFolder(files);
  const script = join(folder, "script.bash");
  writeFileSync(script, completionScript("bash", program));
  const tail =
    'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _prtg_exporter; printf "%s\\n" "${COMPREPLY[@]}"';
  const output = execFileSync("bash", ["-uc", tail, "bash", script, "prtg-exporter", ...words], { cwd: folder });
  return output
    .toString()
    .split("\n")
    .filter((line) => line !== "" && line !== "script.bash");
}

describe("bash", () => {
  test("completes commands", () => {
    expect(completed(["ser"])).toEqual(["serve"]);
    expect(completed([""])).toEqual([...program.commands.map((command) => command.name()), "--version", "--help"]);
  });

  test.each(program.commands.map((command) => [command.name()]))("completes every flag of %s", (name) => {
    expect(completed([name, "--"])).toEqual([...flagsOf(name), "--help"]);
  });

  test.each([
    [["serve", "--log.level", "w"], ["warn"]],
    [["serve", "--log.level", "=", "w"], ["warn"]],
    [
      ["serve", "--log.level", "="],
      ["debug", "info", "warn", "error"],
    ],
    [
      ["serve", "--config.file", ""],
      ["a b.yaml", "prtg.yaml"],
    ],
    [["serve", "--config.file", "pr"], ["prtg.yaml"]],
    [["serve", "--web.telemetry-path", ""], []],
    [["init", "--out", "=", "p"], ["prtg.yaml"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish", "--help"],
    ],
    [["nothing", "--"], []],
  ])("completes %j", (words, expected) => {
    expect(completed(words, { "prtg.yaml": "", "a b.yaml": "" }).toSorted()).toEqual(expected.toSorted());
  });
});
