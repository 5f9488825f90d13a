import { describe, expect, test } from "vitest";
import { completionScript } from "../../../src/cli/completion/completion.ts";
import { createProgram } from "../../../src/cli/program.ts";

const program = createProgram();
const flagsOf = (name: string) =>
  program.commands.find((command) => command.name() === name)?.options.flatMap(({ long }) => long ?? []) ?? [];

describe.each(["zsh", "fish"] as const)("%s", (shell) => {
  const script = completionScript(shell, program);

  test("knows every command and flag", () => {
    for (const command of program.commands) {
      expect(script).toContain(command.name());
      for (const flag of flagsOf(command.name())) {
        expect(script).toContain(shell === "zsh" ? `'*${flag}` : `-l ${flag.slice(2)} `);
      }
    }
  });

  test("quotes descriptions", () => {
    const text = "print the server's [name] of C:\\x";
    const odd = createProgram(undefined, "demo");
    odd.commands[0]?.option("--odd", text);
    const expected = {
      zsh: String.raw`'*--odd[print the server'\''s \[name\] of C:\\x]'`,
      fish: String.raw`-l odd -d 'print the server\'s [name] of C:\\x'`,
    };
    expect(completionScript(shell, odd)).toContain(expected[shell]);
  });
});

test("the script for fish has one completion on each line", () => {
  const [, ...lines] = completionScript("fish", program).trimEnd().split("\n");
  for (const line of lines) expect(line.split("complete -c ")).toEqual(["", expect.any(String)]);
});
