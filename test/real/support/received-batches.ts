import { readFile } from "node:fs/promises";
import { decodeRequest, type ReceivedBatch } from "../../otlp/support/decode.ts";

/** The metrics in a file of the collector, in the order in which they came, by the `service.name` that they are from. */
export async function receivedBatches(file: string): Promise<ReadonlyMap<string, readonly ReceivedBatch[]>> {
  const bytes = await readFile(file);
  const batches: ReceivedBatch[] = [];
  // Requests in protobuf, each after its length in four bytes; the last one may not be complete yet.
  for (let offset = 0; offset + 4 <= bytes.length; ) {
    const end = offset + 4 + bytes.readUInt32BE(offset);
    if (end > bytes.length) break;
    batches.push(...decodeRequest("application/x-protobuf", bytes.subarray(offset + 4, end)));
    offset = end;
  }
  return Map.groupBy(batches, ({ resource }) => resource["service.name"] ?? "");
}
