import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { InstrumentationScope } from "@opentelemetry/core";
import type { Resource } from "@opentelemetry/resources";
import type { Config } from "../config/load.ts";
import { secretFileReader } from "../config/reading-files.ts";
import type { Shard } from "../config/shard.ts";
import { connectOtlp } from "../otlp/connect.ts";
import type { OtlpExporter } from "../otlp/exporter.ts";
import { type OtlpSettings, otlpResource } from "../otlp/settings.ts";
import type { StateFiles } from "../sync/state-files.ts";
import { type CommandContext, readAccess, readText } from "./context.ts";

const INSTANCE_FILE = "instance-id";

/** The way to an OTLP receiver, and who we are to it. */
export interface OtlpReceiver {
  readonly exporter: Pick<OtlpExporter, "export" | "close">;
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
}

/** A receiver in whose place another one can be put: what is under way to the one before arrives, or fails, there. */
export class ChangingReceiver implements OtlpReceiver {
  readonly exporter: OtlpReceiver["exporter"];
  #current: OtlpReceiver;
  readonly #underWay = new Map<OtlpReceiver, Set<Promise<unknown>>>();

  constructor(receiver: OtlpReceiver) {
    this.#current = receiver;
    this.exporter = {
      export: (batch, signal) => this.#track(this.#current, (used) => used.exporter.export(batch, signal)),
      close: () => this.#current.exporter.close(),
    };
  }

  /** The receiver of now, for one that stays with it: its connections stay open until `release` is called. */
  hold(): { readonly receiver: OtlpReceiver; readonly release: () => void } {
    const held = this.#current;
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.#track(held, () => promise);
    return { receiver: held, release: resolve };
  }

  get resource(): Resource {
    return this.#current.resource;
  }

  get scope(): InstrumentationScope {
    return this.#current.scope;
  }

  /** Resolves when nothing is under way to the one before, nothing holds it, and its connections are closed. */
  async changeTo(next: OtlpReceiver): Promise<void> {
    const before = this.#current;
    this.#current = next;
    await Promise.all(this.#underWay.get(before) ?? []);
    await before.exporter.close();
  }

  #track<Result>(used: OtlpReceiver, send: (receiver: OtlpReceiver) => Promise<Result>): Promise<Result> {
    const underWay = this.#underWay.get(used) ?? new Set();
    this.#underWay.set(used, underWay);
    const sent = send(used);
    underWay.add(sent);
    return sent.finally(() => {
      underWay.delete(sent);
      if (underWay.size === 0) this.#underWay.delete(used);
    });
  }
}

/** @throws ExporterError for files and settings that cannot be used */
export async function connectReceiver(
  settings: OtlpSettings,
  files: StateFiles,
  context: CommandContext,
  { strictSecretFiles = false, shard }: Partial<Pick<Config, "strictSecretFiles" | "shard">> = {},
): Promise<OtlpReceiver> {
  const { clock, redactor, build } = context;
  const exporter = await connectOtlp(settings, {
    userAgent: `prtg-exporter/${build.version}`,
    clock,
    readFile: readText,
    // Those that are not refused are none of a request's business: it is sent every few seconds.
    readSecret: secretFileReader({
      readFile: readText,
      readAccess: strictSecretFiles ? readAccess : undefined,
      strict: strictSecretFiles,
      onExposed: () => undefined,
    }),
    redactor,
  });
  const resource = otlpResource(settings.resourceAttributes, {
    version: build.version,
    instanceId: await instanceId(files, shard, context),
  });
  return { exporter, resource, scope: { name: "prtg-exporter", version: build.version } };
}

/** The same after a restart. Without a place to remember it the host's name has to do. */
async function instanceId(files: StateFiles, shard: Shard | undefined, { log }: CommandContext): Promise<string> {
  // Shards may have one folder together, and are instances of their own all the same.
  const file = (shard?.index ?? 0) === 0 ? INSTANCE_FILE : `${INSTANCE_FILE}-${shard?.index}`;
  try {
    const known = (await files.read(file))?.trim();
    if (known !== undefined && known !== "") return known;
    const created = randomUUID();
    await files.write(file, `${created}\n`);
    return (await files.read(file))?.trim() ?? hostname();
  } catch (err) {
    log.warn({ err }, "the id of this instance cannot be kept in state_dir; using the host's name");
    return hostname();
  }
}
