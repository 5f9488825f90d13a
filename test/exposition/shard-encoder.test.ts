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
      shardKeys: new Uint32Array(1),
      servers: ["hq"],
      serverOf: undefined,
    },
  };
}

test("ends early only when nothing looks at its lines any more", async () => {
  const slow = Promise.withResolvers<string>();
  const reader = new AbortController();
  const begun: string[] = [];
  const encoder = new ShardEncoder<string>(
    undefined,
    (bytes) => {
      begun.push(String(bytes));
      return slow.promise;
    },
    () => undefined,
  );
  const blocks = ["slow", "never"].map(block);
  const page = { version: 1, families: [{ family: FAMILY, version: 1, size: 2, blocks }] };
  let hasEnded = false;
  const encoded = encoder.encode(page, "text", reader.signal).finally(() => {
    hasEnded = true;
  });
  reader.abort();
  const refused = expect(encoded).rejects.toBe(reader.signal.reason);
  for (let turn = 0; turn < 20; turn++) await yieldToEventLoop();
  expect(hasEnded).toBe(false);
  slow.resolve("slow");
  await refused;
  expect(begun).toEqual(["slow"]);
});
