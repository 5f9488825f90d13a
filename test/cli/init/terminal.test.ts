import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { LineTerminal } from "../../../src/cli/init/terminal.ts";

function open() {
  const input = new PassThrough();
  const output = new PassThrough({ encoding: "utf8" });
  let shown = "";
  output.on("data", (text: string) => {
    shown += text;
  });
  const interrupt = vi.fn();
  const terminal = new LineTerminal(input, output, interrupt);
  onTestFinished(() => terminal.close());
  return { input, terminal, interrupt, shown: () => shown };
}

test("asks a question and returns the answer without blanks at its ends", async () => {
  const { input, terminal, shown } = open();
  const answer = terminal.ask("URL:");
  input.write("  prtg.example.com \r");
  expect(await answer).toBe("prtg.example.com");
  expect(shown()).toContain("URL: ");
  expect(shown()).toContain("prtg.example.com");
});

test("shows the question for a secret, and nothing that is typed", async () => {
  const { input, terminal, shown } = open();
  const answer = terminal.askSecret("Key:");
  for (const character of "secret-kex\u007fy") input.write(character);
  input.write("\r");
  expect(await answer).toBe("secret-key");
  expect(shown()).toBe("Key: \n");
  const next = terminal.ask("Name:");
  input.write("visible\r");
  await next;
  expect(shown()).toContain("visible");
});

test("keeps lines that are typed before their question", async () => {
  const { input, terminal } = open();
  input.write("first\rsecond\r");
  expect(await terminal.ask("1:")).toBe("first");
  expect(await terminal.askSecret("2:")).toBe("second");
});

test("keeps the order of characters that are typed before and after their question, and hides them", async () => {
  const { input, terminal, shown } = open();
  const first = terminal.ask("1:");
  input.write("first\r");
  await first;
  input.write("sec");
  await new Promise(setImmediate);
  const secret = terminal.askSecret("2:");
  input.write("ret\r");
  expect(await secret).toBe("secret");
  expect(shown()).not.toContain("sec");
  input.write("vis");
  await new Promise(setImmediate);
  const last = terminal.ask("3:");
  input.write("ible\r");
  expect(await last).toBe("visible");
  expect(shown()).toMatch(/3: .*vis.*ible/);
});

test.each([
  ["y", true],
  ["Yes", true],
  ["", false],
  ["n", false],
  ["NO", false],
  ["yesterday\rnope\ryes", true],
  ["yy\r\r", false],
])("the answer %j confirms: %s", async (typed, agreed) => {
  const { input, terminal } = open();
  const answer = terminal.confirm("Trust it?");
  input.write(`${typed}\r`);
  expect(await answer).toBe(agreed);
});

test("the end of the input is an error", async () => {
  const { input, terminal } = open();
  const answer = terminal.ask("URL:");
  input.end();
  await expect(answer).rejects.toMatchObject({ code: "INIT_ANSWER_MISSING" });
});

test("Ctrl-C interrupts", async () => {
  const { input, terminal, interrupt } = open();
  void terminal.ask("URL:").catch(() => undefined);
  input.write("\u0003");
  await vi.waitFor(() => expect(interrupt).toHaveBeenCalledOnce());
});
