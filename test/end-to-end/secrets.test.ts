import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createProgram } from "../../src/cli/program.ts";
import { type RunningCommand, startCommand } from "../support/command-line.ts";

/** In every format. */
async function everyAnswer(url: string): Promise<string> {
  const requests: readonly (readonly [path: string, init: RequestInit])[] = [
    ["/", {}],
    ["/-/healthy", {}],
    ["/-/ready", {}],
    ["/nothing?key=x", {}],
    ["/debug/cardinality", {}],
    ["/debug/runs", {}],
    ["/debug/explain?object=2490", { headers: { Accept: "application/json" } }],
    ["/metrics", { method: "POST" }],
    ["/metrics", { headers: { Accept: "text/plain;version=0.0.4" } }],
    ["/metrics", { headers: { Accept: "text/plain;version=1.0.0;escaping=dots" } }],
    ["/metrics", { headers: { Accept: "application/openmetrics-text;version=1.0.0" } }],
  ];
  const answers = requests.map(async ([path, init]) => {
    const response = await fetch(`${url}${path}`, init);
    return `${JSON.stringify([...response.headers])}\n${await response.text()}`;
  });
  return (await Promise.all(answers)).join("\n");
}

function commandLine({ pid }: RunningCommand): string {
  return process.platform === "linux" ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
}

describe("secrets", () => {
  test("do not appear in outputs of the demo", async () => {
    const demo = startCommand([
      "demo",
      "--sensors",
      "20",
      "--log.level",
      "debug",
      "--log.format",
      "json",
      "--web.listen-address",
      "127.0.0.1:0",
    ]);
    await demo.until(/Open (\S+)/);
    const answers = (await everyAnswer(await demo.url())) + commandLine(demo);
    demo.kill("SIGTERM");
    const { stdout, stderr } = await demo.ended;
    const log = stderr
      .trimEnd()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));
    // Like a request ID, the key has 32 hexadecimal digits.
    const requestIds = new Set(log.map(({ request_id }) => request_id));
    expect(requestIds.size).toBeGreaterThan(10);
    for (const [digits] of `${answers}${stdout}${stderr}`.matchAll(/[0-9a-f]{32}/g)) {
      expect(requestIds).toContain(digits);
    }
  });

  test.each(["serve", "check"])("have no flags of %s", (name) => {
    const command = createProgram().commands.find((each) => each.name() === name);
    const flags = command?.options.map(({ long }) => long) ?? [];
    expect(flags).toContain("--config.file");
    expect(flags.filter((flag) => /key|pass|secret|token|user|auth/.test(flag ?? ""))).toEqual([]);
  });
});
