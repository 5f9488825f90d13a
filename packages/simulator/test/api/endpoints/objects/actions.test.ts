import { beforeEach, describe, expect, test } from "vitest";
import { STATUS_TOKENS } from "../../../../src/records/spelling.ts";
import type { SimStatus } from "../../../../src/world/model.ts";
import { type ChangingTree, codeOf, messageOf, startChangingTree } from "../../../support/changing-tree.ts";
import { NOW } from "../../../support/tiny-world.ts";

let changing: ChangingTree;
beforeEach(async () => {
  changing = await startChangingTree();
});

const KINDS = ["probe", "group", "device", "sensor"] as const;
type Kind = (typeof KINDS)[number];

function idOf(kind: Kind): string {
  const { world } = changing.simulator;
  if (kind === "sensor") return changing.sensor.id;
  if (kind === "device") return changing.device.id;
  const [first] = kind === "probe" ? world.list("probe") : world.list("group");
  return first?.id ?? "";
}

describe.each(KINDS)("actions on a %s", (kind) => {
  test("scans all sensors below it", async () => {
    await changing.clock.advance(17_300);
    expect((await changing.post(`/${kind}s/${idOf(kind)}/scan`)).status).toBe(204);
    const { world } = changing.simulator;
    const node = world.node(idOf(kind));
    const below = world.list("sensor").filter((one) => {
      for (let above = one as typeof node; above !== undefined; above = above.parent) if (above === node) return true;
      return false;
    });
    expect(below.length).toBeGreaterThan(0);
    const scanned = Math.floor((NOW + 17_300) / 1000) * 1000;
    for (const { channels } of below) {
      expect(channels[0] && world.lastMeasurement(channels[0], NOW + 17_300)?.at).toBe(scanned);
    }
  });
});

describe("actions on a sensor", () => {
  test("shows the requested scan in its time series", async () => {
    await changing.clock.advance(31_200);
    await changing.post(`/sensors/${changing.sensor.id}/scan`);
    const { json } = await changing.send(`/experimental/timeseries/${changing.sensor.id}/live`);
    const [time] = (json as string[][]).at(-1) ?? [];
    expect(time).toBe(`${new Date(NOW + 31_200).toISOString().slice(0, 19)}Z`);
  });
});

/** Written by hand. */
const POSSIBLE: Readonly<Record<string, readonly SimStatus[]>> = {
  pause: [
    ...(["none", "unknown", "collecting", "up", "warning", "down", "disconnected", "pausedbydependency"] as const),
    ...(["pausedbyschedule", "unusual", "pauseduntil", "acknowledged", "partialdown"] as const),
  ],
  resume: ["pausedbyuser", "pauseduntil"],
  scan: ["none", "unknown", "collecting", "up", "warning", "down", "unusual", "acknowledged", "partialdown"],
  acknowledge: ["down", "partialdown"],
};

describe.each(Object.entries(POSSIBLE))("action %s", (action, possible) => {
  test.each([...STATUS_TOKENS])("handles a sensor with status %s", async (status) => {
    changing.simulator.world.force(changing.sensor.id, status, NOW);
    const body = action === "pause" || action === "acknowledge" ? {} : undefined;
    const answer = await changing.post(`/sensors/${changing.sensor.id}/${action}`, body);
    if (possible.includes(status)) expect(answer.status).toBe(204);
    else {
      expect([answer.status, codeOf(answer)]).toEqual([400, "WRONG_NODE_STATUS"]);
      expect(messageOf(answer)).toBe(`${action} is impossible: the sensor is ${status}`);
      expect(changing.statusOf(changing.sensor)).toBe(status);
    }
  });
});

interface Result {
  readonly node: { readonly id: string; readonly type: string; readonly name: string; readonly href: string };
  readonly failure: null | { readonly code: string; readonly message: string; readonly request_id: string };
}

describe("actions on all objects that match a filter", () => {
  test.each(["probe", "group", "device"] as const)("change all matching %ss", async (kind) => {
    const { world } = changing.simulator;
    const nodes = world.list(kind as "group");
    for (const [action, status] of [
      ["pause", "pausedbyuser"],
      ["resume", "up"],
      ["scan", "up"],
    ] as const) {
      // A paused parent does not keep children from their own pause.
      const { json } = await changing.post(`/${kind}s/${action}`, { filter: `type = ${kind}` });
      expect((json as Result[]).map(({ node, failure }) => [node.id, failure])).toEqual(
        nodes.map(({ id }) => [id, null]),
      );
      for (const node of nodes) expect(changing.statusOf(node)).toBe(status);
    }
  });

  test("change only objects that the user sees", async () => {
    const credentials = { apiKey: "KEY==", username: "operator", password: "correct horse" };
    changing = await startChangingTree({
      credentials: { ...credentials, restrictedApiKey: "RESTRICTED", restrictedTo: [changing.device.id] },
    });
    const seen = { bearer: "RESTRICTED" };
    const { status, json, text } = await changing.post("/sensors/pause", { filter: "type = sensor" }, seen);
    expect([status, text.startsWith("[")]).toEqual([200, true]);
    expect((json as Result[]).map(({ node }) => node.id)).toEqual(changing.device.children.map(({ id }) => id));
    const [other] = changing.simulator.world.list("sensor").filter(({ parent }) => parent !== changing.device);
    expect(other && changing.statusOf(other)).toBe("up");
    expect((await changing.post(`/sensors/${other?.id}/pause`, {}, seen)).status).toBe(404);
  });
});
