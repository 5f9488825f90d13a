import { expect, test } from "vitest";
import type { RenderedBlock } from "../../src/exposition/rendered-block.ts";
import { ShardEncoder } from "../../src/exposition/shard-encoder.ts";
import { yieldToEventLoop } from "../../src/lib/yielding.ts";
import type { MetricFamily } from "../../src/mapping/metric-table.ts";

const FAMILY: MetricFamily = { name: "value", type: "gauge", help: "", labels: [] };

function block(bytes: string): RenderedBlock {
  return {
    ...{ bytes: Buffer.from(bytes), series: 1 },
    ...{
      version: 1,
      labelled: 1,
      starts: new Uint32Array(2),
      values: new Uint32Array(1),
      shardKeys: new Uint32Array(1),
      servers: ["hq"],
      serverOf: undefined,
    },
  };
}

test("ends early only when nothing looks at its lines any more", async () => {
  const slow = Promise.withResolvers<string>();
  const reader = new AbortController();
  const encoder = new ShardEncoder<string>(
    undefined,
    (bytes) => {
      if (String(bytes) === "slow") return slow.promise;
      reader.abort();
      return Promise.resolve(String(bytes));
    },
    () => undefined,
  );
  const blocks = ["slow", "quick", "never"].map(block);
  const page = { version: 1, families: [{ family: FAMILY, version: 1, size: 3, blocks }] };
  let hasEnded = false;
  const encoded = encoder.encode(page, "text", reader.signal).finally(() => {
    hasEnded = true;
  });
  const refused = expect(encoded).rejects.toBe(reader.signal.reason);
  for (let turn = 0; turn < 20; turn++) await yieldToEventLoop();
  expect([reader.signal.aborted, hasEnded]).toEqual([true, false]);
  slow.resolve("slow");
  await refused;
});
