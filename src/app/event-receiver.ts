import type { ReadableLogRecord } from "@opentelemetry/sdk-logs";
import type { Config } from "../config/load.ts";
import type { EventSink, OpenEventSink } from "../events/sink.ts";
import { LOG_ENCODINGS } from "../otlp/encoding.ts";
import { createEventSink } from "../otlp/event-sink.ts";
import { otlpSettings } from "../otlp/settings.ts";
import type { StateFiles } from "../sync/state-files.ts";
import type { CommandContext } from "./context.ts";
import type { ReceiverAddress } from "./otlp-push.ts";
import { connectReceiver, digestReceiver, type OtlpReceiver } from "./otlp-receiver.ts";

export interface EventReceiverOptions {
  readonly address: ReceiverAddress;
  readonly receiver: OtlpReceiver<ReadableLogRecord[]>;
  /** The same as long as the settings are, with the content of their files. */
  readonly digest: string;
}

/** The way of events to an OTLP receiver of log records, which need not be the one of metrics. */
export class EventReceiver {
  readonly #options: EventReceiverOptions;
  readonly #sinks = new Map<string, EventSink>();

  constructor(options: EventReceiverOptions) {
    this.#options = options;
  }

  get address(): ReceiverAddress {
    return this.#options.address;
  }

  /** The sink of a server: the same one until it is closed. */
  readonly openSink: OpenEventSink = (server) => {
    const known = this.#sinks.get(server);
    if (known !== undefined) return known;
    const sink = createEventSink(this.#options.receiver);
    const opened: EventSink = {
      send: sink.send,
      close: () => {
        if (this.#sinks.get(server) === opened) this.#sinks.delete(server);
        return sink.close();
      },
    };
    this.#sinks.set(server, opened);
    return opened;
  };

  /** Whether it goes the same way as another. */
  isSame(other: EventReceiver): boolean {
    return this.#options.digest === other.#options.digest;
  }

  /** Ends all connections. Call when no sink is used any more. */
  close(): Promise<void> {
    return this.#options.receiver.exporter.close();
  }
}

/**
 * Connects to where the configuration or the standard variables want events, and reads every file that this takes; undefined
 * where they want none, or name no receiver. Its warnings are those of `prepareOtlpPush`.
 * @throws ExporterError for files and settings that cannot be used
 */
export async function connectEventReceiver(
  config: Config,
  files: StateFiles,
  context: CommandContext,
  env: NodeJS.ProcessEnv,
): Promise<EventReceiver | undefined> {
  const { logs } = otlpSettings(env, config.otlp);
  if (logs === undefined) return undefined;
  const receiver = await connectReceiver(logs, LOG_ENCODINGS, files, context, config);
  const { url, protocol } = logs;
  return new EventReceiver({ address: { url, protocol }, receiver, digest: await digestReceiver(logs) });
}

/** The one of both to go on with after a reload, which is `before` where both go the same way; `next` is closed then. */
export async function keepEventReceiver(
  next: EventReceiver | undefined,
  before: EventReceiver | undefined,
): Promise<EventReceiver | undefined> {
  if (next === undefined || before === undefined || !next.isSame(before)) return next;
  await next.close();
  return before;
}
