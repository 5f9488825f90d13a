import type { Config } from "../config/load.ts";
import type { OpenEventSink } from "../events/event.ts";
import { LOG_ENCODINGS } from "../otlp/encoding.ts";
import { createEventSink } from "../otlp/event-sink.ts";
import type { LogSettings } from "../otlp/settings.ts";
import type { StateFiles } from "../state/state-files.ts";
import type { ClientContext } from "./context.ts";
import type { ReceiverAddress } from "./otlp-push.ts";
import { connectReceiver, digestReceiver, withProfile } from "./otlp-receiver.ts";

/** An OTLP receiver of events, which may differ from that of metrics. */
export interface EventReceiver {
  readonly address: ReceiverAddress;
  /** Digest of the settings and the content of their files. */
  readonly digest: string;
  readonly openSink: OpenEventSink;
  /** Call after the last use of a sink. */
  close(): Promise<void>;
}

/** @throws ExporterError for unusable files and settings */
export async function connectEventReceiver(
  settings: LogSettings,
  config: Config,
  files: StateFiles,
  context: ClientContext,
): Promise<EventReceiver> {
  const { url, protocol, profile } = settings;
  const receiver = withProfile(await connectReceiver(settings, LOG_ENCODINGS, files, context, config), profile);
  return {
    address: { url, protocol },
    digest: await digestReceiver(settings),
    openSink: () => createEventSink({ ...receiver, isFromDevice: receiver.profile !== undefined }),
    close: () => receiver.exporter.close(),
  };
}
