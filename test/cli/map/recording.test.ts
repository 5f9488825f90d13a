import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Recording, readRecording, writeRecording } from "../../../src/cli/map/recording.ts";
import { Redactor } from "../../../src/errors/redactor.ts";
import type { ChannelRecord } from "../../../src/prtg/records.ts";
import { record, reference } from "../../model/build-record.ts";

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
