import fc from "fast-check";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import {
  onlySensor,
  type Recording,
  readRecording,
  recordServer,
  sensorIn,
  treeOf,
  writeRecording,
} from "../../../src/cli/map/recording.ts";
import { Redactor } from "../../../src/errors/redactor.ts";
import type { ChannelRecord } from "../../../src/prtg/records.ts";
import type { MemoryServer } from "../../collectors/memory-server.ts";
import { smallServer } from "../../collectors/small-server.ts";
import { record, reference } from "../../model/build-record.ts";
import { never } from "../../support/never-aborted.ts";

const same = (text: string) => text;

function channel(more: Partial<ChannelRecord> = {}): ChannelRecord {
  const given = { sensorId: "50", channelId: "-4", name: "Downtime", unit: "%", value: 1.5, measuredAt: 1_000 };
  return { ...given, limits: undefined, ...more };
}

function recording(name = "Ping", ...channels: ChannelRecord[]): Recording {
  const ancestors = [reference("0", "Root", "root"), reference("40", undefined, undefined)];
  const nodes = [record("sensor", "50", "40", { name, ancestors, tags: ["a"] }), record("probe", "1", undefined)];
  return {
    recordedAt: Date.UTC(2026, 2, 12),
    version: "1.2.3",
    servers: [{ name: "hq", nodes, channels }],
  };
}

const NOT_KEPT = { priority: undefined, favorite: undefined, host: undefined };

function kept(given: Recording): Recording {
  const servers = given.servers.map((server) => ({
    ...server,
    nodes: server.nodes.map((node) => ({ ...node, ...NOT_KEPT })),
  }));
  return { ...given, servers };
}

describe("recording", () => {
  test("keeps its content after a round trip", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.double({ noNaN: true, noDefaultInfinity: true }), (text, value) => {
        // JSON has no negative zero.
        const given = recording(
          text,
          channel({ name: text, unit: text, value: value + 0 }),
          channel({ value: undefined }),
        );
        const read = readRecording(writeRecording(given, same), "r.json");
        expect(read).toEqual(kept(given));
      }),
    );
  });

  test("keeps lone surrogates, and absent and unmeasured values", () => {
    const given = recording("\ud800", channel({ value: undefined, measuredAt: undefined }));
    expect(readRecording(writeRecording(given, same), "r.json")).toEqual(kept(given));
  });

  test("contains no addresses and secrets, and stays valid JSON with any secret", () => {
    const secret = 'pass"wörd\\1';
    const redactor = new Redactor();
    redactor.add(secret);
    const device = record("device", "40", "1", { host: "10.0.0.9" });
    const given = recording(`a ${secret} b`);
    const text = writeRecording(
      { ...given, servers: given.servers.map((each) => ({ ...each, nodes: [...each.nodes, device] })) },
      (each) => redactor.redact(each),
    );
    expect(text).not.toContain("10.0.0.9");
    expect(readRecording(text, "r.json").servers[0]?.nodes[0]?.name).toBe("a [redacted] b");
  });
});

describe("readRecording", () => {
  const written = JSON.parse(writeRecording(recording("Ping", channel()), same));
  const [server] = written.servers;

  test.each([
    ["no JSON", "no", /r\.json is not JSON/],
    ["something else", { hello: 1 }, /not a recording at format/],
    ["a list", [], /not a recording/],
    ["null", null, /not a recording/],
    ["another version", { ...written, formatVersion: 2 }, /has version 2 of the format, this exporter reads 1/],
    ["a version that is no number", { ...written, formatVersion: "x" }, /version "x"/],
    ["no version", { ...written, formatVersion: undefined }, /at formatVersion/],
    ["a wrong time", { ...written, recordedAt: "yesterday" }, /at recordedAt/],
    ["an unknown key", { ...written, more: 1 }, /more/],
    ["no servers", { ...written, servers: undefined }, /at servers/],
    [
      "a wrong node",
      withServer({ nodes: [{ ...server.nodes[0], status: "fine" }] }),
      /at servers\[0\]\.nodes\[0\]\.status/,
    ],
    ["a wrong kind", withServer({ nodes: [{ ...server.nodes[0], kind: "library" }] }), /nodes\[0\]\.kind/],
    ["tags of no text", withServer({ nodes: [{ ...server.nodes[0], tags: [1] }] }), /nodes\[0\]\.tags\[0\]/],
    ["a wrong channel", withServer({ channels: [{ ...server.channels[0], value: "1" }] }), /channels\[0\]\.value/],
    ["an empty id", withServer({ channels: [{ ...server.channels[0], channelId: "" }] }), /channels\[0\]\.channelId/],
  ])("rejects %s", (_what, content, expected) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    expect(() => readRecording(text, "r.json")).toThrow(expected);
    expect(() => readRecording(text, "r.json")).toThrow(expect.objectContaining({ code: "RECORDING_INVALID" }));
  });

  function withServer(more: object): object {
    return { ...written, servers: [{ ...server, ...more }] };
  }
});

async function recorded(api: MemoryServer) {
  const warnings: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });
  const server = await recordServer("hq", api, log, never);
  const ids = server.nodes.map(({ id }) => id).toSorted();
  return {
    server,
    ids,
    channels: server.channels.map(({ sensorId, channelId }) => `${sensorId}.${channelId}`),
    warnings,
  };
}

describe("recordServer", () => {
  test("has all objects and channels", async () => {
    expect(await recorded(smallServer())).toMatchObject({
      ...{ server: { name: "hq" }, ids: ["1", "10", "40", "50", "51"] },
      ...{ channels: ["50.0", "50.1", "51.0"], warnings: [] },
    });
  });

  test("continues without a list that the server lacks", async () => {
    const api = smallServer();
    api.fail("API_ENDPOINT_MISSING", "group");
    const { ids, warnings } = await recorded(api);
    expect(ids).toEqual(["1", "40", "50", "51"]);
    expect(warnings[0]).toContain("continuing without the list of groups");
  });

  test("fails without the sensors or the channels", async () => {
    for (const question of ["sensor", "channels"] as const) {
      const api = smallServer();
      api.fail("API_TIMEOUT", question);
      await expect(recorded(api)).rejects.toMatchObject({ code: "API_TIMEOUT" });
    }
  });

  test.each(["device", "channels"] as const)("warns if the list changed during the read: %s", async (question) => {
    const api = smallServer();
    api.incomplete.add(question);
    const { warnings } = await recorded(api);
    expect(warnings).toEqual(["the lists changed while they were read: some objects may be missing"]);
  });
});

describe("recorded server", () => {
  test("gives the tree of its objects", async () => {
    const tree = treeOf((await recorded(smallServer())).server);
    expect(tree.nodes.get("51")).toMatchObject({ kind: "sensor", name: "Ping", parentId: "40" });
    expect(sensorIn(tree, "51")?.name).toBe("Ping");
    expect(sensorIn(tree, "40")).toBeUndefined();
    expect(sensorIn(tree, "99")).toBeUndefined();
  });

  test("can be reduced to one sensor with the objects above it", async () => {
    const { server } = await recorded(smallServer());
    const { name, nodes, channels } = onlySensor(server, treeOf(server), "51");
    expect(name).toBe("hq");
    expect(nodes.map(({ id }) => id).toSorted()).toEqual(["1", "10", "40", "51"]);
    expect(channels.map(({ sensorId }) => sensorId)).toEqual(["51"]);
  });
});
