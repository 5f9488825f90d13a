import { readFileSync } from "node:fs";
import { SHIPPED_SCENARIOS } from "prtg-simulator/src/command/flags.ts";
import { CONTROL_OPERATIONS, CONTROL_ROOT } from "prtg-simulator/src/control/control.ts";
import { parseFault } from "prtg-simulator/src/faults/grammar.ts";
import { FAULT_HELP } from "prtg-simulator/src/faults/help.ts";
import { compileScenario } from "prtg-simulator/src/scenario/compiler.ts";
import { parseScenario } from "prtg-simulator/src/scenario/scenario.ts";
import { ACTIONS, SETTABLE_STATUSES } from "prtg-simulator/src/scenario/schema.ts";
import { startSimulator } from "prtg-simulator/src/simulator.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { STARTED_AT } from "prtg-simulator/test/world/fixtures.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { createProgram } from "../../../src/cli/program.ts";
import { systemClock } from "../../../src/lib/clock.ts";

const ROOT = new URL("../../../", import.meta.url);
const PAGE = readFileSync(new URL("docs/simulator.md", ROOT), "utf8");

function section(title: string): string {
  const [, text = ""] = PAGE.split(`\n## ${title}\n`);
  if (text === "") throw new Error(`the page has no section ${title}`);
  return text.split("\n## ")[0] ?? "";
}

function blocks(language: string, text = PAGE): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(([, block = ""]) => block);
}

function firstCells(text: string): string[] {
  return [...text.matchAll(/^\| ([^|]*`[^|]*) \|/gm)].map(([, cell = ""]) => cell);
}

function codes(text: string): string[] {
  return [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

describe("docs/simulator.md", () => {
  test("names every flag that only simulate has", () => {
    const simulate = createProgram().commands.find((each) => each.name() === "simulate");
    const flags = simulate?.options.map(({ long }) => long ?? "").filter((flag) => !flag.startsWith("--log.")) ?? [];
    expect(codes(firstCells(section("Start the simulator")).join(" ")).toSorted()).toEqual(flags.toSorted());
  });

  test("has the whole grammar of faults, with valid examples", () => {
    const examples = codes(firstCells(section("Faults")).join(" "));
    const kinds = new Set(examples.map((example) => parseFault(example).action.kind));
    const help = FAULT_HELP.split("\n").flatMap((line) => /^ {2}([a-z-]+)/.exec(line)?.slice(1) ?? []);
    expect(help.length).toBeGreaterThan(10);
    expect([...kinds].toSorted()).toEqual(help.toSorted());
    const used = blocks("sh").flatMap((block) =>
      [...block.matchAll(/--fault ('?)([^' ]+)\1/g)].map(([, , fault = ""]) => fault),
    );
    expect(used.length).toBeGreaterThan(2);
    for (const fault of used) expect(() => parseFault(fault), fault).not.toThrow();
  });

  test("has a valid scenario and all fields of a step", () => {
    const [example = "", ...others] = blocks("yaml", section("Scenarios"));
    expect(others).toEqual([]);
    const world = createWorld({ seed: 1, startedAt: STARTED_AT });
    const run = compileScenario(parseScenario(example, "docs/simulator.md"), world, STARTED_AT);
    run.advance(STARTED_AT + 86_400_000);
    expect(run.steps.length).toBeGreaterThan(5);
    expect(run.failures).toEqual([]);
    const described = codes(section("Scenarios"));
    expect(described).toEqual(expect.arrayContaining([...ACTIONS, ...SETTABLE_STATUSES]));
    expect(firstCells(section("Scenarios")).flatMap(codes)).toEqual([...ACTIONS]);
    for (const name of SHIPPED_SCENARIOS) expect(described).toContain(name);
  });

  test("lists exactly the operations of the control endpoint", () => {
    const operations = CONTROL_OPERATIONS.map(({ method, path }) => `${method} ${CONTROL_ROOT}${path}`);
    expect(firstCells(section("The control endpoint")).flatMap(codes)).toEqual(operations);
  });

  test("has examples of the control endpoint that work in order", async () => {
    const simulator = await startSimulator({
      world: createWorld({ seed: 1, startedAt: STARTED_AT }),
      clock: systemClock,
      startAt: STARTED_AT,
      spelling: "live",
      credentials: { apiKey: "simulated-key", username: "simulated-user", password: "simulated-password" },
      control: true,
    });
    onTestFinished(() => simulator.close());
    const lines = blocks("sh").flatMap((block) => block.split("\n").filter((line) => /^(sim|curl) /.test(line)));
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) {
      const { method, path, body, authorized } = readCurl(line);
      const headers: Record<string, string> = authorized ? { Authorization: "Bearer simulated-key" } : {};
      const response = await fetch(`${simulator.url}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      expect([line, response.status, response.ok ? "" : await response.text()]).toEqual([line, response.status, ""]);
    }
  });

  test("links to existing pages", () => {
    const headings = [...PAGE.matchAll(/^## (.*)$/gm)].map(([, title = ""]) =>
      title.toLowerCase().replaceAll(" ", "-"),
    );
    for (const [, anchor = ""] of PAGE.matchAll(/\]\(#([^)]+)\)/g)) expect(headings).toContain(anchor);
    expect(readFileSync(new URL("README.md", ROOT), "utf8")).toContain("docs/simulator.md");
  });
});

interface CurlCall {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly authorized: boolean;
}

function readCurl(line: string): CurlCall {
  const path = /"\$SIM([^"]*)"/.exec(line)?.[1];
  if (path === undefined) throw new Error(`no address in ${line}`);
  const file = /--data-binary @(\S+)/.exec(line)?.[1];
  const body = file === undefined ? / -d '([^']*)'/.exec(line)?.[1] : readFileSync(new URL(file, ROOT), "utf8");
  const method = /-X (\w+)/.exec(line)?.[1] ?? (body === undefined ? "GET" : "POST");
  return { method, path, body, authorized: line.startsWith("sim ") || line.includes("Bearer simulated-key") };
}
