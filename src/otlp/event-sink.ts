import type { InstrumentationScope } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs";
import type { EventRecord } from "../events/event.ts";
import type { EventSink } from "../events/sink.ts";
import { EventResources } from "./event-resources.ts";
import type { ExportBatch, OtlpExporter } from "./exporter.ts";
import { estimateRecordSize, logRecord } from "./log-record.ts";

export interface EventSinkOptions {
  /** Of the exporter itself. */
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  /** Whether an event is from the resource of its device, in place of the exporter's. */
  readonly isFromDevice?: boolean;
  readonly exporter: Pick<OtlpExporter<ReadableLogRecord[]>, "export">;
}

/**
 * Sends events as log records, in their order, in as many requests as their size asks for. The exporter stays open: servers
 * have it together.
 */
export function createEventSink(options: EventSinkOptions): EventSink {
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();

  const send: EventSink["send"] = async (events, signal) => {
    // Requests go out one after the other and end with the first that fails, so what is settled is a beginning.
    let settled = 0;
    let rejected = 0;
    const batch: ExportBatch<EventRecord, ReadableLogRecord[]> = {
      items: events,
      estimateSize: estimateRecordSize,
      count: () => 1,
      toRequest: (items) => requestOf(items, options),
      settled: (items, outcome) => {
        settled += items.length;
        rejected += outcome.kind === "refused" ? items.length : outcome.rejected;
      },
      failed: () => undefined,
    };
    const outcome = await options.exporter.export(batch, AbortSignal.any([signal, closing.signal]));
    const { kind, message } = outcome;
    if (kind === "failed") return { kind: "retry", settled, rejected, retryAfterMs: outcome.retryAfterMs, message };
    return kind === "refused" ? { kind: "rejected", message } : { kind, rejected, message };
  };

  return {
    send: (events, signal) => {
      const sending = send(events, signal);
      underWay.add(sending);
      return sending.finally(() => underWay.delete(sending));
    },
    async close() {
      closing.abort(new Error("the exporter stops"));
      await Promise.all(underWay);
    },
  };
}

function requestOf(
  events: readonly EventRecord[],
  { resource, scope, isFromDevice = false }: EventSinkOptions,
): ReadableLogRecord[] {
  const devices = new EventResources(resource);
  return events.map((event) =>
    logRecord(event, isFromDevice ? devices.place(event) : { resource, attributes: event.attributes }, scope),
  );
}
