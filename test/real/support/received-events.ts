import { readFile } from "node:fs/promises";
import { decodeLogs, type ReceivedLogRecord } from "../../otlp/support/decode-logs.ts";

/** Log records from the collector's file in order, by `service.name`. */
export async function receivedEvents(file: string): Promise<ReadonlyMap<string, readonly ReceivedLogRecord[]>> {
  const events = new Map<string, ReceivedLogRecord[]>();
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  // Protobuf requests after their four-byte lengths. The last may be incomplete.
  for (let offset = 0; offset + 4 <= bytes.length; ) {
    const end = offset + 4 + bytes.readUInt32BE(offset);
    if (end > bytes.length) break;
    for (const { resource, records } of decodeLogs("application/x-protobuf", bytes.subarray(offset + 4, end))) {
      const service = String(resource["service.name"]);
      const known = events.get(service);
      if (known === undefined) events.set(service, [...records]);
      else known.push(...records);
    }
    offset = end;
  }
  return events;
}
