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

function launched(given: Partial<LaunchedProcess> = {}, others: readonly (readonly [number, ProcessFacts])[] = []) {
  const killed: [number, string | number][] = [];
  const alive = new Set([LAUNCHER]);
  const processes = new Map(others);
  const own = {
    env: LAUNCHED,
    platform: "linux",
    pid: 42,
    ppid: LAUNCHER,
    kill(pid: number, signal: 0 | "SIGTERM") {
      if (signal !== 0) killed.push([pid, signal]);
      else if (!alive.has(pid)) throw Object.assign(new Error("no such process"), { code: "ESRCH" });
    },
    ...given,
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
  stopWithLauncher(own, every, (pid) => processes.get(pid));
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
  expect(launched({ ppid: 7 }).watches).toBe(false);
  expect(launched({ env: { ...NPX, npm_lifecycle_script: "vitest" } }).watches).toBe(false);
  expect(launched({ env: { ...NPX, npm_lifecycle_event: "start" } }).watches).toBe(false);
});

const SHELL = { name: "sh", parent: 40 };
const NPM = { name: "npm exec prtg-s", parent: 30 };
type Tree = readonly (readonly [pid: number, facts: ProcessFacts])[];
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

test("watches npx alone if the system does not say what runs", () => {
  const { own, killed, tick } = launched({ env: NPX });
  own.ppid = 1;
  tick();
  expect(killed).toEqual([[42, "SIGTERM"]]);
});
