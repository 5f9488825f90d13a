import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { beginEvents, discardEvents, type EventOutputs, prepareEvents } from "../../src/app/event-outputs.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { loadTestConfig } from "../support/test-config.ts";

const SERVERS = 'servers: [{ name: hq, url: "https://prtg", auth: { api_key: "${KEY}" } }]\n';
const PUSHED = 'otlp: { events: true, logs_endpoint: "http://127.0.0.1:9" }\n';

async function prepared(settings: string) {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const events = await prepareEvents(await loadTestConfig(SERVERS + settings), { ...testContext(), log }, {});
  onTestFinished(async () => events && discardEvents(events));
  return { events, lines };
}

describe("prepareEvents", () => {
  test.each([
    ["", undefined],
    ["otlp: { endpoint: 'http://127.0.0.1:9' }\n", undefined],
    ["events: { file: /tmp/events.jsonl }\n", { receiver: undefined }],
    [PUSHED, { receiver: expect.anything() }],
    [`events: { file: /tmp/events.jsonl }\n${PUSHED}`, { receiver: expect.anything() }],
  ])("of %j is %j", async (settings, expected) => {
    const { events } = await prepared(settings);
    if (expected === undefined) expect(events).toBeUndefined();
    else expect(events).toMatchObject(expected);
  });

  test.each([
    ["events: { structure: true }\n", ["events.structure has no effect without events.file or otlp.events"]],
    [
      "events: { structure: true, file: /tmp/e.jsonl }\n",
      ["state_dir is not set: status changes while the exporter is down create no events"],
    ],
    ["", []],
  ])("warns of %j: %j", async (settings, warnings) => {
    expect((await prepared(settings)).lines).toEqual(warnings);
  });
});

describe("beginEvents", () => {
  async function begun(settings: string, before?: EventOutputs): Promise<EventOutputs> {
    const { events } = await prepared(settings);
    if (events === undefined) throw new Error("no output");
    return beginEvents(events, before, pino({ level: "silent" }));
  }

  const folder = () => temporaryFolder({});
  const state = (path: string) => `state_dir: ${path}\n`;
  const file = (name: string) => `events: { file: /tmp/${name}.jsonl }\n`;

  test("keeps memory and outputs of an unchanged configuration", async () => {
    const settings = file("one") + state(folder());
    const before = await begun(settings);
    const after = await begun(settings, before);
    expect(after.of("hq")?.memory).toBe(before.of("hq")?.memory);
    expect(after.of("hq")?.sinks.get("file")).toBe(before.of("hq")?.sinks.get("file"));
    expect(after.of("branch")).toBeUndefined();
  });

  test("opens another file, but keeps the memory", async () => {
    const path = folder();
    const before = await begun(file("one") + state(path));
    const after = await begun(file("two") + state(path), before);
    expect(after.of("hq")?.memory).toBe(before.of("hq")?.memory);
    expect(after.of("hq")?.sinks.get("file")).not.toBe(before.of("hq")?.sinks.get("file"));
  });

  test("reads the memory of another state_dir", async () => {
    const before = await begun(file("one") + state(folder()));
    const after = await begun(file("one") + state(join(folder(), "new")), before);
    expect(after.of("hq")?.memory).not.toBe(before.of("hq")?.memory);
    expect(after.of("hq")?.sinks.get("file")).toBe(before.of("hq")?.sinks.get("file"));
  });

  test("keeps the connection to an unchanged receiver", async () => {
    const before = await begun(PUSHED);
    const same = await begun(PUSHED + file("one"), before);
    expect(same.options.receiver).toBe(before.options.receiver);
    expect([...(same.of("hq")?.sinks.keys() ?? [])].toSorted()).toEqual(["file", "otlp"]);
    const other = await begun(PUSHED.replace(":9", ":10"), same);
    expect(other.options.receiver).not.toBe(before.options.receiver);
  });
});
