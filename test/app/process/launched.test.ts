import { expect, test } from "vitest";
import { LAUNCHER_CHECK_MS, type LaunchedProcess, stopWithLauncher } from "../../../src/app/process/launched.ts";

const LAUNCHER = 41;

function launched(given: Partial<LaunchedProcess> = {}) {
  const killed: [number, string | number][] = [];
  const alive = new Set([LAUNCHER]);
  const own = {
    env: { PRTG_EXPORTER_LAUNCHER: String(LAUNCHER) },
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
  stopWithLauncher(own, (tick, ms) => {
    expect(ms).toBe(LAUNCHER_CHECK_MS);
    ticks.push(tick);
    return {
      unref() {
        held = false;
      },
    };
  });
  return {
    own,
    alive,
    killed,
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
});
