import { describe, expect, it } from "vitest";
import { fitted, lineTexts, MAX_DATA_BYTES, nextFrom, positionText } from "../../../src/http/mcp/bounds.ts";
import { dataJson } from "../../../src/http/mcp/data-block.ts";
import { startSimulatedExporter } from "../../support/simulated-exporter.ts";
import { startMcpServer, textOf } from "./support/mcp-server.ts";

const MINUTE = 60_000;
/** Takes most bytes: each is escaped in JSON, and again in the answer. */
const LONG = '<"\\`'.repeat(100);

describe("answers", () => {
  it("have less than 32 KiB of text with thousands of problems and long texts, and say how to get the rest", async () => {
    const exporter = await startSimulatedExporter({
      size: { devices: 30, sensors: 2_000, channels: 4_000 },
      // More lines of the metrics page for each sensor.
      settings: "metrics: { sensor_status: all }",
    });
    const { world } = exporter.simulator;
    const incident = {
      ...{ start: exporter.clock.now() - MINUTE, lengthMs: 10 * MINUTE, everyMs: 20 * MINUTE, times: 1 },
      effect: { kind: "status", status: "down", message: LONG },
    } as const;
    for (const { id } of world.list("device")) {
      world.rename(id, LONG);
      world.addIncident(id, incident);
    }
    await exporter.poll();
    const mcp = await startMcpServer(exporter.exporter.status);
    const [device] = world.list("device");
    const found = await mcp.callTool("find_objects", { status: ["down"] });
    expect(found.structuredContent).toMatchObject({ total: expect.any(Number), next_from: expect.any(Number) });
    expect(textOf(found)).toMatch(/^\d+ of \d{4} objects\. For more call again with from=\d+\. For fewer add words,/);
    const answers = [
      found,
      await mcp.callTool("list_outages"),
      await mcp.callTool("list_servers"),
      await mcp.callTool("get_object", { id: "0" }),
      await mcp.callTool("get_object", { id: device?.id }),
      await mcp.callTool("get_object", { id: world.list("sensor")[0]?.id }),
      await mcp.callTool("get_changes"),
      await mcp.callTool("get_history", { id: world.list("sensor")[0]?.id }),
      await mcp.callTool("explain_series", { id: world.list("sensor")[0]?.id }),
    ];
    for (const answer of answers) {
      expect(answer.isError).toBeUndefined();
      expect(Buffer.byteLength(textOf(answer))).toBeLessThan(32 * 1_024);
      expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(128 * 1_024);
    }
    await mcp.close();
    await exporter.close();
  });

  it("have the first lines of an object that fit", () => {
    const lines = Array.from({ length: 50 }, (_, index) => `prtg_sensor_status{name="${"<".repeat(100)}"} ${index}`);
    const shown = lineTexts(lines);
    expect(shown).toEqual(lines.slice(0, shown.length));
    expect(shown.length).toBeGreaterThan(5);
    expect(Buffer.byteLength(dataJson(shown))).toBeLessThan(8 * 1_024);
    expect(lineTexts(["x".repeat(600)])[0]).toHaveLength(500);
  });

  it("have as many items as fit", () => {
    const items = Array.from({ length: 100 }, () => "x".repeat(1_000));
    const { shown } = fitted(items, (some) => ({ shown: some }));
    expect(shown.length).toBe(Math.floor((MAX_DATA_BYTES - 12) / 1_003));
    expect(fitted(["x".repeat(MAX_DATA_BYTES)], (some) => ({ shown: some })).shown).toEqual([]);
    expect(fitted(["x"], (some) => ({ shown: some })).shown).toEqual(["x"]);
  });

  it.each([
    [{ total: 3, from: 0, shown: 3 }, null, "3 of 3 things."],
    [{ total: 3, from: 1, shown: 1 }, 2, "1 of 3 things, from index 1. For more call again with from=2. For fewer do."],
    [{ total: 3, from: 9, shown: 0 }, null, "0 of 3 things, from index 9."],
  ])("say where %o is", (position, next, text) => {
    expect(nextFrom(position)).toBe(next);
    expect(positionText("things", position, "do")).toBe(text);
  });
});
