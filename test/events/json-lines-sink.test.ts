import { appendFileSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import type { EventRecord } from "../../src/events/event.ts";
import { fileOutput, jsonLinesSinks, streamOutput } from "../../src/events/json-lines-sink.ts";
import { never } from "../support/never-aborted.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ACCEPTED = { kind: "accepted", rejected: 0, message: "" };

function event(number: number, more: Partial<EventRecord> = {}): EventRecord {
  return {
    uid: number.toString(16).padStart(32, "0"),
    eventName: "prtg.sensor.status_change",
    timestamp: Date.UTC(2026, 0, 15, 12),
    observedTimestamp: Date.UTC(2026, 0, 15, 12, 0, 1),
    severityText: "ERROR",
    severityNumber: 17,
    body: `event ${number}`,
    attributes: { "prtg.sensor.id": String(number) },
    ...more,
  };
}

const bodies = (text: string): readonly string[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).body);

function appending(content?: string) {
  const path = join(temporaryFolder({}), "events.jsonl");
  if (content !== undefined) writeFileSync(path, content);
  return { path, sink: jsonLinesSinks(fileOutput(path))("hq"), text: () => readFileSync(path, "utf8") };
}

test("a line is one JSON object with names of OpenTelemetry's data model", async () => {
  const { sink, text } = appending();
  expect(await sink.send([event(1)], never)).toEqual(ACCEPTED);
  expect(text()).toMatch(/^[^\n]+\n$/);
  expect(JSON.parse(text())).toEqual({
    timestamp: "2026-01-15T12:00:00.000Z",
    observed_timestamp: "2026-01-15T12:00:01.000Z",
    severity_text: "ERROR",
    severity_number: 17,
    event_name: "prtg.sensor.status_change",
    body: "event 1",
    attributes: { "prtg.sensor.id": "1" },
    uid: "00000000000000000000000000000001",
  });
});

test("an impossible date stays a number", async () => {
  const { sink, text } = appending();
  await sink.send([event(1, { timestamp: 9e15 })], never);
  expect(JSON.parse(text()).timestamp).toBe(9e15);
});

test("the sink opens a new file after a rename or removal", async () => {
  const { path, sink, text } = appending();
  await sink.send([event(1)], never);
  renameSync(path, `${path}.1`);
  await sink.send([event(2)], never);
  expect([bodies(readFileSync(`${path}.1`, "utf8")), bodies(text())]).toEqual([["event 1"], ["event 2"]]);
});

test("the sink does not repeat lines that a killed process wrote", async () => {
  const { path, sink, text } = appending();
  await sink.send([event(1), event(2)], never);
  const next = jsonLinesSinks(fileOutput(path))("hq");
  expect(await next.send([event(2), event(3)], never)).toEqual(ACCEPTED);
  expect(bodies(text())).toEqual(["event 1", "event 2", "event 3"]);
});

test("the sink completes a truncated line first", async () => {
  const { sink, text } = appending('{"torn');
  await sink.send([event(1)], never);
  expect(text()).toMatch(/^\{"torn\n\{.*\}\n$/);
});

test("the sink retries a file that it cannot open", async () => {
  const folder = temporaryFolder({});
  const path = join(folder, "later", "events.jsonl");
  const sink = jsonLinesSinks(fileOutput(path))("hq");
  expect(await sink.send([event(1)], never)).toMatchObject({
    kind: "retry",
    settled: 0,
    message: expect.stringContaining("ENOENT"),
  });
  expect(existsSync(path)).toBe(false);
});

test.skipIf(!existsSync("/dev/full"))("a full disk does not stop the sink", async () => {
  const sink = jsonLinesSinks(fileOutput("/dev/full"))("hq");
  expect(await sink.send([event(1)], never)).toMatchObject({
    kind: "retry",
    message: expect.stringContaining("ENOSPC"),
  });
});

test("the sink tolerates other writers", async () => {
  const { path, sink, text } = appending();
  await sink.send([event(1)], never);
  appendFileSync(path, "{}\n");
  await sink.send([event(2)], never);
  expect(text().split("\n")).toHaveLength(4);
});

test.skipIf(process.platform === "win32")(
  "a new file has the given mode, and an existing one keeps its own",
  async () => {
    const folder = temporaryFolder({ existing: "" });
    const modeOf = (name: string) => statSync(join(folder, name)).mode & 0o777;
    const before = modeOf("existing");
    for (const name of ["new", "existing"]) await fileOutput(join(folder, name), 0o600).write(["{}\n"], [""]);
    expect([modeOf("new"), modeOf("existing")]).toEqual([0o600, before]);
  },
);

test("batches of several servers do not mix", async () => {
  const path = join(temporaryFolder({}), "events.jsonl");
  const open = jsonLinesSinks(fileOutput(path));
  const batches = [1, 2, 3, 4].map((server) => [event(server * 10), event(server * 10 + 1)]);
  await Promise.all(batches.map((batch, server) => open(`s${server}`).send(batch, never)));
  expect(bodies(readFileSync(path, "utf8"))).toEqual(
    [10, 11, 20, 21, 30, 31, 40, 41].map((number) => `event ${number}`),
  );
});

test("a stream gets the same lines", async () => {
  const stream = new PassThrough();
  await jsonLinesSinks(streamOutput(stream))("hq").send([event(1), event(2)], never);
  expect(bodies(String(stream.read()))).toEqual(["event 1", "event 2"]);
});

test("a closed reader does not stop the process", async () => {
  const stream = new Writable({
    write: (_chunk, _encoding, callback) => callback(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })),
  });
  const sink = jsonLinesSinks(streamOutput(stream))("hq");
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(await sink.send([event(1)], never)).toMatchObject({ kind: "retry", settled: 0 });
  }
  streamOutput(stream);
  expect(stream.listenerCount("error")).toBe(1);
});
