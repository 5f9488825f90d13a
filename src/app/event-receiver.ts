import type { ReadableLogRecord } from "@opentelemetry/sdk-logs";
import type { Config } from "../config/load.ts";
import type { OpenEventSink } from "../events/event.ts";
import { LOG_ENCODINGS } from "../otlp/encoding.ts";
import { createEventSink } from "../otlp/event-sink.ts";
import type { LogSettings } from "../otlp/settings.ts";
import type { StateFiles } from "../sync/state-files.ts";
import type { CommandContext } from "./context.ts";
import type { ReceiverAddress } from "./otlp-push.ts";
import { connectReceiver, digestReceiver, type OtlpReceiver, withProfile } from "./otlp-receiver.ts";

interface EventReceiverOptions {
  readonly address: ReceiverAddress;
  readonly receiver: OtlpReceiver<ReadableLogRecord[]>;
  /** The same as long as the settings are, with the content of their files. */
  readonly digest: string;
}

/** The way of events to an OTLP receiver of log records, which need not be the one of metrics. */
export class EventReceiver {
  readonly #options: EventReceiverOptions;
  readonly openSink: OpenEventSink;

  constructor(options: EventReceiverOptions) {
    this.#options = options;
    const { receiver } = options;
    this.openSink = () => createEventSink({ ...receiver, isFromDevice: receiver.profile !== undefined });
  }

  get address(): ReceiverAddress {
    return this.#options.address;
  }

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
 * Connects to where events are to go, and reads every file that this takes.
 * @throws ExporterError for files and settings that cannot be used
 */
export async function connectEventReceiver(
  settings: LogSettings,
  config: Config,
  files: StateFiles,
  context: CommandContext,
): Promise<EventReceiver> {
  const connected = await connectReceiver(settings, LOG_ENCODINGS, files, context, config);
  const { url, protocol, profile } = settings;
  const receiver = withProfile(connected, profile);
  return new EventReceiver({ address: { url, protocol }, receiver, digest: await digestReceiver(settings) });
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
