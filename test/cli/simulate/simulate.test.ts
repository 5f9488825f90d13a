import { describe, expect, test, vi } from "vitest";
import { runProgram } from "../../../src/cli/program.ts";

async function stderrOf(...args: string[]): Promise<readonly [code: number, text: string]> {
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    const code = await runProgram(["simulate", ...args]);
    return [code, stderr.mock.calls.map(([text]) => String(text)).join("")];
  } finally {
    stderr.mockRestore();
  }
}

describe("flags", () => {
  test.each([
    [["--speed", "fast"], /Give a number from 0\.01 to 86400/],
    [["--speed", "0"], /Give a number from 0\.01 to 86400/],
    [["--start-at", "yesterday"], /Give a time such as 2026-03-12T08:00:00Z/],
    [["--start-at", "2026-03-12"], /Give a time such as/],
    [["--start-at", "2026-13-12T08:00:00Z"], /Give a time such as/],
    [["--tls-cert", "cert.pem"], /give --tls-cert and --tls-key together/],
    [["--tls", "--tls-key", "key.pem"], /give --tls-cert and --tls-key together/],
    [["--api-key", "x", "--read-api-key", "x"], /--api-key and --read-api-key are the same key/],
  ])("%j fail", async (args, message) => {
    const [code, text] = await stderrOf(...args);
    expect(code).toBe(2);
    expect(text).toMatch(message);
  });

  test("name an unreadable scenario and the available ones", async () => {
    const [code, text] = await stderrOf("--scenario", "no-such-scenario");
    expect(code).toBe(1);
    expect(text).toMatch(
      /cannot read the scenario no-such-scenario: .*\[SCENARIO_INVALID\].*busy-morning, datacenter-power, /,
    );
  });
});
