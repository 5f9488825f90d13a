import { describe, expect, test } from "vitest";
import { Redactor } from "../../../src/errors/redactor.ts";
import { TextBounds } from "../../../src/prtg/decode/text-bounds.ts";
import { noProblems } from "../../../src/prtg/decode/values.ts";
import type { NodeRecord } from "../../../src/prtg/node-record.ts";
import type { ChannelRecord } from "../../../src/prtg/records.ts";
import { ENCODINGS } from "../../end-to-end/support/echoing-server.ts";
import { record } from "../../model/build-record.ts";

const KEY = 'K3y/+planted=&<%~"\\';

function bounds(max = 100): TextBounds {
  const redactor = new Redactor();
  redactor.addCredential(KEY);
  // Too short, and a receiver's credential.
  redactor.addCredential("router");
  redactor.add("production");
  return new TextBounds(max, redactor.credentials);
}

function channel(members: Partial<ChannelRecord>): ChannelRecord {
  const { name = "Traffic In", unit = "kbit/s", ...rest } = members;
  return { sensorId: "1", channelId: "0", name, unit, value: 1, measuredAt: 1, limits: undefined, ...rest };
}

describe.each(Object.entries(ENCODINGS))("credential as %s", (_, encode) => {
  const text = `before ${encode(KEY)} after`;
  const rest = (clean: string | undefined) => clean?.replace(/^before .*\[redacted\]=* after$/, "clean");

  test("disappears from every text of channels, nodes, lookups and the version, with a count", () => {
    const problems = noProblems();
    const clean = bounds().channel(channel({ name: text, unit: text, lookup: text }), problems);
    expect([clean?.name, clean?.unit, clean?.lookup].map(rest)).toEqual(["clean", "clean", "clean"]);
    expect(problems).toEqual({ ...noProblems(), secret: 3 });
    const reference = { id: "2", name: text, kind: text };
    const texts = { name: text, message: text, type: text, typeName: text, host: text, tags: ["a", text] };
    const node = bounds().node(
      { ...record("sensor", "3", "2", texts), parent: reference, ancestors: [reference] },
      problems,
    );
    const { name, message, type, typeName, host, tags = [], parent, ancestors = [] } = node ?? {};
    const all = [name, message, type, typeName, host, tags[1], parent?.name, parent?.kind, ancestors[0]?.name];
    expect(all.map(rest)).toEqual(all.map(() => "clean"));
    const entries = [{ kind: "range", from: 1, to: 1, text } as const];
    const lookup = bounds().lookup({ id: text, name: text, entries }, problems);
    expect([lookup.id, lookup.name, lookup.entries[0]?.text].map(rest)).toEqual(["clean", "clean", "clean"]);
    const [[member, version] = []] = bounds().members(new Map([[text, text]]), problems);
    expect([member, version].map(rest)).toEqual(["clean", "clean"]);
  });

  test("disappears before the exporter cuts a long text", () => {
    const problems = noProblems();
    const long = `${"x".repeat(45)} ${encode(KEY)} ${"y".repeat(100)}`;
    const name = bounds(50).channel(channel({ name: long }), problems)?.name ?? "";
    expect(name).toMatch(/^x{45} .{3}…$/);
    expect(problems).toMatchObject({ secret: 1, text: 1 });
  });

  test("removes the object if its id contains it", () => {
    const id = encode(KEY);
    const problems = noProblems();
    const parent = { id, name: "Parent", kind: "device" };
    expect(bounds().channel(channel({ channelId: id }), problems)).toBe(undefined);
    expect(bounds().channel(channel({ sensorId: id }), problems)).toBe(undefined);
    const nodes: NodeRecord[] = [record("sensor", id, "2"), { ...record("sensor", "3", "2"), parent }];
    for (const node of nodes) expect(bounds().node(node, problems)).toBe(undefined);
    expect(problems).toEqual({ ...noProblems(), secret: 4 });
  });
});

test("short passwords and receiver secrets change no name", () => {
  const problems = noProblems();
  const named = channel({ name: "router of production" });
  expect(bounds().channel(named, problems)).toBe(named);
  expect(problems).toEqual(noProblems());
});
