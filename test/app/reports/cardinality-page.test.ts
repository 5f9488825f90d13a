import { describe, expect, test } from "vitest";
import { cardinalityPage } from "../../../src/app/reports/cardinality-page.ts";
import type { DebugSources } from "../../../src/app/reports/sources.ts";
import { debugText } from "../../../src/http/pages/status/debug-view.ts";
import { plainMapper } from "../../../src/mapping/channel-mapper.ts";
import type { MappingOutcome } from "../../../src/mapping/rules/rule.ts";
import { memoryPipeline } from "../../collectors/memory-pipeline.ts";
import { channel, smallServer } from "../../collectors/small-server.ts";

type Outcomes = readonly (readonly [name: string, unit: string, outcome: MappingOutcome])[];

/** One poll of a small server, with these outcomes of its channels. */
async function page(outcomes: Outcomes, mapper: Pick<DebugSources["mapper"], "hasRules"> = plainMapper()) {
  const { monitor, store, clock } = memoryPipeline(smallServer());
  await monitor.pollOnce(new AbortController().signal);
  const sensor = monitor.view.state.tree.nodes.get("50");
  const channels = outcomes.map(([name, unit, outcome], index) => [
    sensor,
    channel(`50.${index}`, { name, unit }),
    outcome,
  ]);
  const view = { state: monitor.view.state, channels: () => channels };
  const monitors = new Map([["hq", { view }]]) as unknown as DebugSources["monitors"];
  const report = await cardinalityPage(() => ({ store, mapper: mapper as DebugSources["mapper"], clock, monitors }))(
    new URLSearchParams(),
  );
  return { ...report, text: debugText(report) };
}

const cells = (text: string) => text.split("\n").map((line) => line.split(/ {2,}/).filter((cell) => cell !== ""));

describe("/debug/cardinality", () => {
  test("groups the channels that no rule maps or drops, the largest groups first", async () => {
    const { sections, json, text } = await page([
      ["a", "%", "unmatched"],
      ["b", "", "unmatched"],
      ["c", "", "unmatched"],
      ["d", "%", "unconverted"],
      ["e", "%", "mapped"],
      ["f", "%", "dropped"],
    ]);
    expect(sections.at(-2)).toEqual({
      title: "no rules are configured, so no channel has a mapped metric: 4",
      head: ["unit", "why", "channels", "for example"],
      rows: [
        ["(none)", "unmatched", "2", "50.1 of hq: Berlin/Network/sw-1/Uplink, b"],
        ["%", "unmatched", "1", "50.0 of hq: Berlin/Network/sw-1/Uplink, a"],
        ["%", "unconverted", "1", "50.3 of hq: Berlin/Network/sw-1/Uplink, d"],
      ],
      more: undefined,
    });
    expect(sections.at(-1)?.rows?.map((row) => row.slice(0, 3))).toEqual([
      ["sensor", "unmatched", "3"],
      ["sensor", "unconverted", "1"],
    ]);
    expect(json).toMatchObject({ unmapped: { rules_configured: false, channels: 4, units: { total: 3 } } });
    expect(cells(text)).toContainEqual(["(none)", "unmatched", "2", "50.1 of hq: Berlin/Network/sw-1/Uplink, b"]);
  });

  test("names the rules that are configured", async () => {
    const { sections, json } = await page([["a", "%", "unmatched"]], { hasRules: true });
    expect(sections.at(-2)?.title).toBe("channels without a mapped metric: 1");
    expect(sections.at(-1)?.title).toBe("kinds of their sensors");
    expect(json).toMatchObject({
      unmapped: {
        ...{ rules_configured: true, channels: 1 },
        kinds: {
          total: 1,
          most: [
            {
              ...{ name: "sensor", outcome: "unmatched", channels: 1 },
              example: { server: "hq", object: "50.0", path: "Berlin/Network/sw-1/Uplink", channel: "a" },
            },
          ],
        },
      },
    });
  });

  test("shows fifty groups and counts the rest", async () => {
    const many = (count: number): Outcomes =>
      Array.from({ length: count }, (_, index) => ["a", `u${index}`, "unmatched"]);
    const fifty = await page(many(50));
    expect(fifty.sections.at(-2)).toMatchObject({ more: undefined });
    expect(fifty.sections.at(-2)?.rows).toHaveLength(50);
    const more = await page(many(53));
    expect(more.sections.at(-2)).toMatchObject({ more: "and 3 more" });
    expect(more.sections.at(-2)?.rows).toHaveLength(50);
    expect(more.text).toContain("\nand 3 more\n");
    expect(more.json).toMatchObject({ unmapped: { units: { total: 53, most: { length: 50 } } } });
  });

  test("shortens long names", async () => {
    const [whole, long] = ["w".repeat(60), "l".repeat(61)];
    const { sections } = await page([
      [whole, "%", "unmatched"],
      [long, long, "unmatched"],
    ]);
    expect(sections.at(-2)?.rows?.map(([unit, , , example]) => [unit, example?.split(", ").at(-1)])).toEqual([
      ["%", whole],
      [`${"l".repeat(60)}...`, `${"l".repeat(60)}...`],
    ]);
  });

  test("counts series by family, probe and label", async () => {
    const { sections, json, text } = await page([]);
    const [families, probes, labels] = sections;
    expect(families?.title).toMatch(/^series about monitored objects: \d+$/);
    expect(families?.rows).toContainEqual(["prtg_channel_value", "3"]);
    expect(probes).toMatchObject({ title: "series per probe", note: expect.stringMatching(/^without a probe: \d+$/) });
    expect(probes?.rows).toEqual([["hq", "Berlin", expect.stringMatching(/^\d+$/)]]);
    expect(labels?.rows?.find(([name]) => name === "channel_id")).toEqual(["channel_id", "2", "3", "0 (2), 1 (1)"]);
    expect(json).toMatchObject({
      families: expect.arrayContaining([{ family: "prtg_channel_value", series: 3 }]),
      labels: expect.arrayContaining([
        expect.objectContaining({
          label: "channel_id",
          distinct: 2,
          series: 3,
          top: [
            { value: "0", series: 2 },
            { value: "1", series: 1 },
          ],
        }),
      ]),
    });
    // Tables without rows have only their title.
    expect(text).toMatch(/no channel has a mapped metric: 0\n\nkinds of their sensors\n\n$/);
  });
});
