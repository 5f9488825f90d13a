import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import {
  EventMemory,
  encodeHead,
  encodeLine,
  journalFileName,
  type Remembered,
} from "../../src/events/event-memory.ts";
import type { JournalFiles } from "../../src/state/state-files.ts";
import { buildEvent } from "./support/build-event.ts";

const NAME = journalFileName("hq");

/** Steps may fail or be the last. */
function disk(content?: string) {
  const files = new Map<string, string>(content === undefined ? [] : [[NAME, content]]);
  const state = { fails: new Set<string>(), dieAt: Number.POSITIVE_INFINITY, steps: 0 };
  const step = async (name: string, act: () => void) => {
    if (++state.steps > state.dieAt) return new Promise<void>(() => undefined);
    if (state.fails.has(name)) throw new Error("EIO");
    act();
  };
  const store: JournalFiles = {
    read: async (name) => {
      if (state.fails.has("read")) throw new Error("EACCES");
      return files.get(name);
    },
    write: (name, text) => step("write", () => void files.set(name, text)),
    append: (name, text) => step("append", () => void files.set(name, `${files.get(name) ?? ""}${text}`)),
    rename: (from, to) =>
      step("rename", () => {
        files.set(to, files.get(from) ?? "");
        files.delete(from);
      }),
    syncDirectory: () => step("sync", () => undefined),
  };
  return { files, state, open: () => EventMemory.open("hq", store) };
}

function lineOf(value: object): string {
  const body = JSON.stringify(value);
  return `${crc32(body).toString(16).padStart(8, "0")} ${body}\n`;
}

const event = (body: string) => buildEvent({ body, attributes: { "prtg.object.tags": ["a"] } });

const remembered = (more: Partial<Remembered> = {}): Remembered => ({
  statuses: [
    ["50", { status: "up", since: 1_000 }],
    ["51", { status: "down", since: undefined }],
  ],
  events: [{ seq: 3, event: event("three") }],
  next: 4,
  settled: new Map([["file", 2]]),
  ...more,
});

test("the next process reads the whole first write and each added line", async () => {
  const { open, files } = disk();
  const memory = await open();
  expect(memory.report).toEqual({ found: "new", file: NAME, message: undefined });
  await memory.write([], remembered);
  const whole = files.get(NAME) ?? "";
  await memory.write(
    [
      { seq: 4, events: [event("four"), event("five")], told: [["50", 5, 2_000]], gone: ["51"] },
      { settled: { file: 4 } },
    ],
    () => {
      throw new Error("not written anew");
    },
  );
  expect(files.get(NAME)?.startsWith(whole)).toBe(true);
  expect([...files.keys()]).toEqual([NAME]);
  const { report, before } = await open();
  expect(report.found).toBe("good");
  expect(before).toEqual({
    statuses: new Map([["50", { status: "down", since: 2_000 }]]),
    events: [{ seq: 5, event: event("five") }],
    next: 6,
    settled: new Map([["file", 4]]),
  });
});

test("events stay until the slowest output accepts them", async () => {
  const { open } = disk();
  const memory = await open();
  const events = [1, 2, 3].map((seq) => ({ seq, event: event(String(seq)) }));
  const settled = new Map([
    ["file", 3],
    ["otlp", 1],
  ]);
  await memory.write([], () => remembered({ events, settled }));
  expect((await open()).before.events.map(({ seq }) => seq)).toEqual([2, 3]);
});

test("the header of a file can be newer than its added lines", async () => {
  const { open } = disk();
  const memory = await open();
  await memory.write([], remembered);
  await memory.write([{ seq: 3, events: [event("three")] }, { settled: { file: 1 } }], remembered);
  const { before } = await open();
  expect([before.events.map(({ seq }) => seq), before.settled, before.next]).toEqual([[3], new Map([["file", 2]]), 4]);
});

test("the reader ignores a truncated last line and rewrites the file", async () => {
  const whole = encodeHead("hq") + encodeLine({ told: [["50", 3, 1]] });
  const line = encodeLine({ told: [["50", 5, 2]] });
  for (const end of [line.slice(0, 20), line.slice(0, -1), "\0".repeat(512), `${line.slice(0, -3)}x}\n`]) {
    const { open, files } = disk(whole + end);
    const memory = await open();
    expect(memory.report.found).toBe("good");
    expect(memory.before.statuses).toEqual(new Map([["50", { status: "up", since: 1 }]]));
    await memory.write([], remembered);
    expect(files.get(NAME)).not.toContain(end);
  }
});

test.each([
  ["torn", `${encodeHead("hq")}${encodeLine({ told: [["50", 3, 1]] }).replace("50", "60")}${encodeLine({})}`],
  ["torn", "0123"],
  ["foreign", '{"format":"prtg-exporter watermarks"}\n{}\n'],
  ["foreign", encodeHead("other")],
  ["foreign", lineOf({ format: "prtg-exporter events", server: "hq" })],
])("a file that is %s moves aside, and the memory starts empty", async (found, content) => {
  const { open, files } = disk(content);
  const { report, before } = await open();
  expect(report).toMatchObject({ found, message: expect.any(String) });
  expect([before.statuses.size, before.events.length]).toEqual([0, 0]);
  expect(files.get(`${NAME}.${found}`)).toBe(content);
});

test("an unreadable file does not stop the memory", async () => {
  const { open, state } = disk(encodeHead("hq"));
  state.fails.add("read");
  expect((await open()).report).toMatchObject({ found: "unreadable", message: "EACCES" });
});

test("the memory rewrites the file after a failed write", async () => {
  const { open, state, files } = disk();
  const memory = await open();
  await memory.write([], remembered);
  state.fails.add("append");
  await expect(memory.write([{ told: [["50", 5, 2]] }], remembered)).rejects.toThrow("EIO");
  state.fails.clear();
  const statuses = new Map([["50", { status: "down", since: 2 } as const]]);
  await memory.write([], () => remembered({ statuses }));
  expect((await open()).before.statuses).toEqual(statuses);
  expect([...files.keys()]).toEqual([NAME]);
});

test("the memory rewrites a file that has grown", async () => {
  const { open, files } = disk();
  const memory = await open();
  await memory.write([], remembered);
  const begin = files.get(NAME)?.length ?? 0;
  let rewritten = 0;
  for (let index = 0; index < 300; index++) {
    await memory.write([{ seq: index + 4, events: [event("x".repeat(8_000))] }], () => {
      rewritten++;
      return remembered();
    });
  }
  expect(rewritten).toBe(2);
  expect(files.get(NAME)?.length).toBeLessThan(begin + 2 * (1 << 20));
});

test("a crash between two steps leaves the old file or the new one", async () => {
  for (let dieAt = 0; dieAt <= 3; dieAt++) {
    const { open, state } = disk();
    await (await open()).write([], remembered);
    const dying = await open();
    dying.requireRewrite();
    state.steps = 0;
    state.dieAt = dieAt;
    const statuses = new Map([["50", { status: "down", since: 9 } as const]]);
    const writing = dying.write([], () => remembered({ statuses }));
    await Promise.race([
      writing,
      new Promise((resolve) => setImmediate(() => setImmediate(() => setImmediate(() => setImmediate(resolve))))),
    ]);
    const { report, before } = await open();
    expect(report.found).toBe("good");
    expect(before.statuses).toEqual(dieAt < 2 ? new Map(remembered().statuses) : statuses);
  }
});

test("the memory writes nothing and fails nowhere without a folder", async () => {
  const memory = EventMemory.none("hq");
  await memory.write([{ gone: ["50"] }], () => {
    throw new Error("asked");
  });
  expect(memory.before.statuses.size).toBe(0);
});
