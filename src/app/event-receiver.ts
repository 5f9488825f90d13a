import type { ReadableLogRecord } from "@opentelemetry/sdk-logs";
import type { Config } from "../config/load.ts";
import type { OpenEventSink } from "../events/event.ts";
import { LOG_ENCODINGS } from "../otlp/encoding.ts";
import { createEventSink } from "../otlp/event-sink.ts";
import type { LogSettings } from "../otlp/settings.ts";
import type { StateFiles } from "../state/state-files.ts";
import type { ClientContext } from "./context.ts";
import type { ReceiverAddress } from "./otlp-push.ts";
import { connectReceiver, digestReceiver, type OtlpReceiver, withProfile } from "./otlp-receiver.ts";

interface EventReceiverOptions {
  readonly address: ReceiverAddress;
  readonly receiver: OtlpReceiver<ReadableLogRecord[]>;
  /** Of the settings and the content of their files. */
  readonly digest: string;
}

/** An OTLP receiver of events, which may differ from that of metrics. */
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

  isSame(other: EventReceiver): boolean {
    return this.#options.digest === other.#options.digest;
  }

  /** Call after the last use of a sink. */
  close(): Promise<void> {
    return this.#options.receiver.exporter.close();
  }
}

/** @throws ExporterError for unusable files and settings */
export async function connectEventReceiver(
  settings: LogSettings,
  config: Config,
  files: StateFiles,
  context: ClientContext,
): Promise<EventReceiver> {
  const connected = await connectReceiver(settings, LOG_ENCODINGS, files, context, config);
  const { url, protocol, profile } = settings;
  const receiver = withProfile(connected, profile);
  return new EventReceiver({ address: { url, protocol }, receiver, digest: await digestReceiver(settings) });
}

/** After a reload: `before` if both are the same, and then closes `next`. */
export async function keepEventReceiver(
  next: EventReceiver | undefined,
  before: EventReceiver | undefined,
): Promise<EventReceiver | undefined> {
  if (next === undefined || before === undefined || !next.isSame(before)) return next;
  await next.close();
  return before;
}
