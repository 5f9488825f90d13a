import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/clock.ts";
import { createDebugPages, redactStrings } from "../../src/commands/debug-reports.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { plainMapper } from "../../src/mapping/channel-mapper.ts";
import { Slices } from "../../src/slices.ts";
import { monitored, smallServer } from "../collectors/monitored.ts";

const SECRET = 'hunter2"\\';

async function pages() {
  const { server, monitor, store, clock } = monitored(smallServer());
  server.change("50", { name: `Uplink ${SECRET}`, tags: [SECRET] });
  await monitor.pollOnce(new AbortController().signal);
  const redactor = new Redactor();
  redactor.add(SECRET);
  let counted = 0;
  const counting = {
    inspect: (id: string) => monitor.inspect(id),
    node: (id: string) => monitor.node(id),
    channels: () => {
      counted++;
      return monitor.channels();
    },
  };
  const monitors = new Map([["hq", counting]]);
  return { ...createDebugPages({ store, mapper: plainMapper(), clock, monitors }, redactor), counted: () => counted };
}

describe("the pages below /debug", () => {
  it.each(["explain", "cardinality"] as const)("%s has no secrets, in either form", async (name) => {
    const { text, json, status } = await (await pages())[name](new URLSearchParams({ object: "50" }));
    expect(status).toBe(200);
    for (const shown of [text, JSON.stringify(json)]) {
      expect(shown).not.toContain("hunter2");
      expect(shown).toContain("Uplink [redacted]");
    }
  });

  it("repeat no secret that was asked for", async () => {
    const { text, json } = await (await pages()).explain(new URLSearchParams({ object: SECRET }));
    expect(text + JSON.stringify(json)).not.toContain("hunter2");
  });

  it("count once for all who ask at the same time, and anew for who asks later", async () => {
    const { cardinality, counted } = await pages();
    const [first, second] = await Promise.all([1, 2].map(() => cardinality(new URLSearchParams())));
    expect([second, counted()]).toEqual([first, 1]);
    await cardinality(new URLSearchParams());
    expect(counted()).toBe(2);
  });

  it("list channels without rules as such", async () => {
    const { cardinality } = await pages();
    const { text, json } = await cardinality(new URLSearchParams());
    expect(text).toContain(
      "no rules are configured, so no channel has a mapped metric: 3\n\nunit  why        channels",
    );
    expect(json).toMatchObject({
      unmapped: {
        rules_configured: false,
        channels: 3,
        units: { total: 1, most: [{ name: "%", outcome: "unmatched", channels: 3, example: { object: "50.0" } }] },
      },
    });
  });
});

describe("redactStrings", () => {
  it("goes into lists and objects, keys too, and leaves everything else as it is", async () => {
    const redactor = new Redactor();
    redactor.add("secret");
    const given = { "a secret": ["secret", 1, null, true, undefined, { deep: "no secret" }] };
    expect(await redactStrings(given, redactor, new Slices(systemClock))).toEqual({
      "a [redacted]": ["[redacted]", 1, null, true, undefined, { deep: "no [redacted]" }],
    });
  });
});
