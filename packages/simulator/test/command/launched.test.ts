import { expect, test } from "vitest";
import {
  LAUNCHER_CHECK_MS,
  type LaunchedProcess,
  type ProcessFacts,
  stopWithLauncher,
} from "../../src/command/launched.ts";

const LAUNCHER = 41;
const LAUNCHED = { PRTG_EXPORTER_LAUNCHER: String(LAUNCHER) };
const NPX = { npm_lifecycle_event: "npx", npm_lifecycle_script: "'prtg-simulator'" };

type Tree = readonly (readonly [pid: number, facts: ProcessFacts])[];

function launched(given: Partial<LaunchedProcess> = {}, others: Tree | "unknown" = []) {
  const killed: [number, string | number][] = [];
  const alive = new Set([LAUNCHER]);
  const processes = new Map(others === "unknown" ? [] : others);
  const find = (pid: number) => (others === "unknown" ? others : (processes.get(pid) ?? "gone"));
  const own = {
    platform: "linux",
    pid: 42,
    ppid: LAUNCHER,
    kill(pid: number, signal: 0 | "SIGTERM") {
      if (signal !== 0) killed.push([pid, signal]);
      else if (!alive.has(pid)) throw Object.assign(new Error("no such process"), { code: "ESRCH" });
    },
    ...given,
    // Each process has its own.
    env: { ...(given.env ?? LAUNCHED) },
  };
  const ticks: (() => void)[] = [];
  let held = true;
  const every = (tick: () => void, ms: number) => {
    expect(ms).toBe(LAUNCHER_CHECK_MS);
    ticks.push(tick);
    return {
      unref() {
        held = false;
      },
    };
  };
  stopWithLauncher(own, every, find);
  return {
    own,
    alive,
    killed,
    processes,
    held: () => held,
    watches: ticks.length > 0,
    tick() {
      for (const tick of ticks) tick();
    },
  };
}

test("stops once when its launcher exits", () => {
  const { own, killed, tick, held } = launched();
  expect(held()).toBe(false);
  tick();
  expect(killed).toEqual([]);
  own.ppid = 1;
  tick();
  tick();
  expect(killed).toEqual([[42, "SIGTERM"]]);
});

test("checks the launcher itself on Windows, where the parent id does not change", () => {
  const { alive, killed, tick } = launched({ platform: "win32" });
  tick();
  expect(killed).toEqual([]);
  alive.clear();
  tick();
  expect(killed).toEqual([[42, "SIGTERM"]]);
});

test("ignores parents other than a launcher", () => {
  expect(launched({ env: {} }).watches).toBe(false);
  expect(launched({ env: { ...NPX, npm_lifecycle_script: "vitest" } }).watches).toBe(false);
  expect(launched({ env: { ...NPX, npm_lifecycle_event: "start" } }).watches).toBe(false);
});

test.each(["nohup prtg-simulator & sleep 2", "./start-prtg-simulator.sh", "my-prtg-simulator-suite"])(
  "leaves what npx --call began: %s",
  (script) => {
    expect(launched({ env: { ...NPX, npm_lifecycle_script: script } }, BELOW_SHELL).watches).toBe(false);
  },
);

test.each(["prtg-simulator", "'prtg-simulator'", '"prtg-exporter"'])("knows the script of npx: %s", (script) => {
  expect(launched({ env: { ...NPX, npm_lifecycle_script: script } }, BELOW_SHELL).watches).toBe(true);
});

test("its own processes do not take its launcher for theirs", () => {
  expect(launched().own.env).not.toHaveProperty("PRTG_EXPORTER_LAUNCHER");
});

test("stops if its launcher ended before it could look", () => {
  const { killed, tick } = launched({ ppid: 1, env: { PRTG_EXPORTER_LAUNCHER: "40" } });
  tick();
  expect(killed).toEqual([[42, "SIGTERM"]]);
});

test("ignores the living launcher of another program", () => {
  expect(launched({ ppid: 7 }).watches).toBe(false);
});

const SHELL = { name: "sh", parent: 40 };
const NPM = { name: "npm exec prtg-s", parent: 30 };
const BELOW_NPX: Tree = [[LAUNCHER, NPM]];
const BELOW_SHELL: Tree = [
  [LAUNCHER, SHELL],
  [40, NPM],
];
const BELOW_LAUNCHER: Tree = [
  [LAUNCHER, { name: "node", parent: 40 }],
  [40, { name: "sh", parent: 39 }],
  [39, NPM],
];

test.each<[lost: string, env: LaunchedProcess["env"], tree: Tree, pid: number, stops: boolean]>([
  ["npx without a shell", NPX, BELOW_NPX, LAUNCHER, true],
  ["the shell of npx", NPX, BELOW_SHELL, LAUNCHER, true],
  ["npx above its shell", NPX, BELOW_SHELL, 40, true],
  ["the parent of npx", NPX, BELOW_SHELL, 30, false],
  ["npx above its shell and a launcher", { ...NPX, ...LAUNCHED }, BELOW_LAUNCHER, 39, true],
  ["the shell above a launcher", { ...NPX, ...LAUNCHED }, BELOW_LAUNCHER, 40, true],
])("at the end of %s", (_, env, tree, lost, stops) => {
  const { own, killed, processes, tick } = launched({ env }, tree);
  tick();
  expect(killed).toEqual([]);
  if (own.ppid === lost) own.ppid = 1;
  processes.delete(lost);
  for (const [pid, facts] of processes) if (facts.parent === lost) processes.set(pid, { ...facts, parent: 1 });
  tick();
  expect(killed.length > 0).toBe(stops);
});

test("watches its parent alone if the system does not say what runs", () => {
  const { own, killed, tick } = launched({ env: NPX }, "unknown");
  tick();
  expect(killed).toEqual([]);
  own.ppid = 1;
  tick();
  expect(killed).toEqual([[42, "SIGTERM"]]);
});

test("goes on while the system cannot say what runs", () => {
  let isKnown = true;
  const killed: number[] = [];
  const ticks: (() => void)[] = [];
  const own = { env: { ...NPX }, platform: "linux", pid: 42, ppid: LAUNCHER, kill: (pid: number) => killed.push(pid) };
  const every = (tick: () => void) => {
    ticks.push(tick);
    return { unref: () => undefined };
  };
  const tree = new Map(BELOW_SHELL);
  stopWithLauncher(own, every, (pid) => (isKnown ? (tree.get(pid) ?? "gone") : "unknown"));
  isKnown = false;
  for (const tick of ticks) tick();
  expect(killed).toEqual([]);
});

const INIT = { name: "systemd", parent: 0 };

test.each<[who: string, tree: Tree, ppid: number, stops: boolean]>([
  ["npx and its shell ended", [[1, INIT]], 1, true],
  [
    "npx ended above its shell",
    [
      [LAUNCHER, { ...SHELL, parent: 1 }],
      [1, INIT],
    ],
    LAUNCHER,
    true,
  ],
  ["npx ended in a container whose first process is a shell", [[1, { name: "bash", parent: 0 }]], 1, true],
  ["npx is the first process", [[1, { name: "npm exec prtg-s", parent: 0 }]], 1, false],
  [
    "npx is the first process, with a shell",
    [
      [LAUNCHER, { ...SHELL, parent: 1 }],
      [1, { name: "node", parent: 0 }],
    ],
    LAUNCHER,
    false,
  ],
])("if %s at the start", (_, tree, ppid, stops) => {
  const { killed, tick } = launched({ env: NPX, ppid }, tree);
  tick();
  expect(killed.length > 0).toBe(stops);
});
