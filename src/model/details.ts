import type { ChannelRecord, LicenseUse } from "../prtg/records.ts";
import type { Channel } from "./channel.ts";
import type { NodeState } from "./node-state.ts";
import { Rows } from "./rows.ts";
import type { Detail, DetailSubject, StateObserver } from "./state-observer.ts";
import type { UpdateContext } from "./update-context.ts";

/** Members that the server did not report are missing. */
export interface DetailsUpdate {
  readonly license?: LicenseUse | undefined;
  readonly autodiscoveries?: number | undefined;
  readonly probes?: ReadonlyMap<string, boolean> | undefined;
  readonly primary?: Iterable<Pick<ChannelRecord, "sensorId" | "channelId">> | undefined;
}

interface Known {
  readonly node: (id: string) => NodeState | undefined;
  readonly channel: (sensorId: string, channelId: string) => Channel | undefined;
}

/** The details of one server. A detail ends with its object or when it expires. */
export class Details {
  readonly #known: Known;
  readonly #rows = new Rows();
  readonly #details = new Map<unknown, Detail>();

  constructor(known: Known) {
    this.#known = known;
  }

  [Symbol.iterator](): Iterator<Detail> {
    return this.#details.values();
  }

  async apply(update: DetailsUpdate, observer: StateObserver, { now, expiry, slices }: UpdateContext): Promise<void> {
    const detailExpiresAt = expiry.detail();
    const set = (key: unknown, about: DetailSubject, value: number | undefined) => {
      if (value === undefined) return;
      const row = this.#details.get(key)?.row ?? this.#rows.take();
      const detail = { row, about, value, expiresAt: detailExpiresAt };
      this.#details.set(key, detail);
      observer.onRecord("detail", detail, now.monotonic);
    };
    const { license, autodiscoveries, probes = [], primary } = update;
    const { used, max, expiresAt } = license ?? {};
    const ofServer = [
      ["licenseUsed", used],
      ["licenseMax", max],
      ["licenseExpiry", expiresAt],
      ["autodiscoveries", autodiscoveries],
    ] as const;
    for (const [kind, value] of ofServer) set(kind, { kind }, value);
    for (const [id, isConnected] of probes) {
      const node = this.#known.node(id);
      if (node !== undefined) set(node, { kind: "probeConnected", node }, Number(isConnected));
    }
    if (primary === undefined) return;
    const seen = new Set<Channel>();
    for (const { sensorId, channelId } of primary) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const channel = this.#known.channel(sensorId, channelId);
      if (channel === undefined) continue;
      seen.add(channel);
      set(channel, { kind: "primaryChannel", channel }, 1);
    }
    for (const { about } of [...this.#details.values()]) {
      if (about.kind === "primaryChannel" && !seen.has(about.channel)) this.forget(about.channel, observer);
    }
  }

  /** As of the last list of primary channels. `now`: monotonic ms. */
  isPrimary(channel: Channel, now: number): boolean {
    const detail = this.#details.get(channel);
    return detail !== undefined && detail.expiresAt > now;
  }

  of(subject: NodeState | Channel): Detail | undefined {
    return this.#details.get(subject);
  }

  relabel(node: NodeState, observer: StateObserver, now: number): void {
    const detail = this.#details.get(node);
    if (detail !== undefined) observer.onRecord("detail", detail, now);
  }

  forget(subject: NodeState | Channel, observer: StateObserver): void {
    const detail = this.#details.get(subject);
    if (detail === undefined) return;
    observer.onRecordRemoval("detail", detail);
    this.#details.delete(subject);
    this.#rows.release(detail.row);
  }
}
