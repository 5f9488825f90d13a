import { z } from "zod";
import { describePoint, type ReceivedPoints } from "../../real/support/received-points.ts";
import type { KubernetesNode } from "./kubernetes-node.ts";
import type { Release } from "./release.ts";

/** As in the values files. */
const API_KEY = "simulated-key";
const SERVICE = "simulator";

/** API v2: column names, then rows. */
const tables = z.array(
  z.tuple([z.tuple([z.string()], z.string())], z.tuple([z.string()], z.union([z.number(), z.string(), z.null()]))),
);

const SCRIPT = `
const [, origin, key, ids] = process.argv;
const tables = [];
for (const id of JSON.parse(ids)) {
  const answer = await fetch(origin + "/api/v2/experimental/timeseries/" + id + "/live", {
    headers: { authorization: "Bearer " + key },
  });
  if (!answer.ok) throw new Error(answer.status + " " + (await answer.text()));
  tables.push(await answer.json());
}
process.stdout.write(JSON.stringify(tables));
`;

/** Recorded between a channel's first and last delivered point, but not delivered. A down sensor has no points. */
export async function missingPoints(
  node: KubernetesNode,
  release: Release,
  { channels }: ReceivedPoints,
): Promise<string[]> {
  const ids = [...new Set([...channels.keys()].map((id) => id.split(".", 1)[0]))];
  const origin = await release.originOf(SERVICE);
  const record = tables.parse(JSON.parse(await node.evaluate(SCRIPT, [origin, API_KEY, JSON.stringify(ids)])));
  const missing: string[] = [];
  let compared = 0;
  for (const [[, ...names], ...rows] of record) {
    for (const [column, channelId] of names.entries()) {
      const { times = [] } = channels.get(channelId) ?? {};
      const [first = Number.POSITIVE_INFINITY, last = 0] = [times[0], times.at(-1)];
      const came = new Set(times);
      for (const [time, ...values] of rows) {
        const at = Date.parse(time);
        if (at < first || at > last || typeof values[column] !== "number") continue;
        compared++;
        if (!came.has(at)) missing.push(describePoint(channelId, at));
      }
    }
  }
  if (compared === 0) throw new Error(`${origin} has no points of channels that came`);
  console.log(`${missing.length} of ${compared} points missing`);
  return missing;
}
