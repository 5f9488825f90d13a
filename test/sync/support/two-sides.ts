import type { ActionResult } from "../../../src/prtg/monitoring-api.ts";
import type { StateFiles } from "../../../src/state/state-files.ts";
import type { Alert, PutSilence, Silence } from "../../../src/sync/alertmanager.ts";
import { compileMatchers } from "../../../src/sync/matchers.ts";
import type { ServerSide, SyncSensor } from "../../../src/sync/observed.ts";
import { ownKeyOf } from "../../../src/sync/own-silences.ts";
import type { SyncLoopOptions } from "../../../src/sync/sync-loop.ts";

export const SERVER = "hq";

interface SimulatedSensor {
  readonly id: string;
  readonly device: string;
  isFailing: boolean;
  /** The status is down since this time. */
  downSince: number;
  acknowledged: { readonly by: "sync" | "person"; readonly until: number } | undefined;
}

/** When an operation of sync fails. `kill`: nothing of the process works from then on. */
export interface Fault {
  readonly kind: "kill" | "lost";
  /** Operations before it. */
  readonly after: number;
  /** The operation took effect. */
  readonly isApplied: boolean;
}

/** PRTG, Alertmanager and the disk in memory, at a time that only tests move. */
export class TwoSides {
  now: number;
  readonly sensors: ReadonlyMap<string, SimulatedSensor>;
  readonly silences = new Map<string, Silence>();
  readonly files = new Map<string, string>();
  /** Wrong changes, as soon as they happen. */
  readonly wrongs: string[] = [];
  isAlertmanagerDown = false;
  /** Alerts of sensors that are down for less time do not exist yet. */
  alertsAfterMs = 0;
  isPrtgDown = false;
  isKilled = false;
  #fault: Fault | undefined;
  #operations = 0;
  #ids = 0;
  #polled: { readonly at: number; readonly statuses: ReadonlyMap<string, SyncSensor> };

  constructor(now: number, sensors: number) {
    this.now = now;
    this.sensors = new Map(
      Array.from({ length: sensors }, (_, at) => {
        const id = String(at);
        return [id, { id, device: String(100 + (at >> 1)), isFailing: false, downSince: now, acknowledged: undefined }];
      }),
    );
    this.#polled = { at: now, statuses: new Map() };
    this.poll();
  }

  failAfter(fault: Fault): void {
    this.#fault = fault;
    this.#operations = 0;
  }

  restart(): void {
    this.isKilled = false;
    this.#fault = undefined;
  }

  statusOf({ isFailing, acknowledged }: SimulatedSensor): "up" | "down" | "acknowledged" {
    if (!isFailing) return "up";
    return acknowledged !== undefined && this.now < acknowledged.until ? "acknowledged" : "down";
  }

  setFailing(id: string, isFailing: boolean): void {
    const sensor = this.sensors.get(id);
    if (sensor === undefined) return;
    if (!sensor.isFailing) sensor.downSince = this.now;
    sensor.isFailing = isFailing;
    if (!isFailing) sensor.acknowledged = undefined;
  }

  acknowledgeByPerson(id: string, minutes: number): void {
    const sensor = this.sensors.get(id);
    if (sensor !== undefined && this.statusOf(sensor) === "down") {
      sensor.acknowledged = { by: "person", until: this.now + minutes * 60_000 };
    }
  }

  silenceByPerson(matchers: Silence["matchers"], minutes: number): void {
    const times = { startsAt: this.now, endsAt: this.now + minutes * 60_000 };
    this.#put({ ...times, id: undefined, matchers, createdBy: "ann", comment: "maintenance" });
  }

  /** Of persons, in the order of their creation. */
  get foreign(): readonly Silence[] {
    return [...this.silences.values()].filter((silence) => this.#isActive(silence) && ownKeyOf(silence) === undefined);
  }

  /** Keys, once per silence. */
  get own(): readonly string[] {
    return [...this.silences.values()]
      .filter((silence) => this.#isActive(silence))
      .flatMap((silence) => ownKeyOf(silence)?.text ?? []);
  }

  endSilence(id: string): void {
    const known = this.silences.get(id);
    if (known !== undefined) this.silences.set(id, { ...known, endsAt: Math.min(known.endsAt, this.now) });
  }

  extendSilence(id: string, minutes: number): void {
    const known = this.silences.get(id);
    if (known !== undefined) this.silences.set(id, { ...known, endsAt: this.now + minutes * 60_000 });
  }

  isCoveredByPerson(sensor: SimulatedSensor): boolean {
    return this.foreign.some(({ matchers }) => compileMatchers(matchers).matches(labelsOf(sensor)));
  }

  /** What the collectors of sync see of PRTG. */
  poll(): void {
    if (this.isPrtgDown) return;
    const statuses = [...this.sensors.values()].map((sensor) => {
      const { id } = sensor;
      return [
        id,
        { id, path: `site/${sensor.device}/${id}`, status: this.statusOf(sensor), message: "no answer" },
      ] as const;
    });
    this.#polled = { at: this.now, statuses: new Map(statuses) };
  }

  servers(): ReadonlyMap<string, ServerSide> {
    if (this.now - this.#polled.at > 3 * 60_000) return new Map();
    const { at, statuses } = this.#polled;
    const below = (id: string) =>
      [...this.sensors.values()].filter((sensor) => sensor.id === id || sensor.device === id);
    const objects: ServerSide = {
      statusAt: at,
      sensors: () => statuses.values(),
      sensor: (id) => statuses.get(id),
      sensorsBelow: (id) => below(id).map((sensor) => sensor.id),
      labelsOf: (id) => {
        const sensor = this.sensors.get(id);
        return sensor === undefined ? new Map() : labelsOf(sensor);
      },
      pausedObjects: () => [],
      isChangeable: true,
    };
    return new Map([[SERVER, objects]]);
  }

  readonly alertmanager: SyncLoopOptions["alertmanager"] = {
    silences: () => this.#asked(() => [...this.silences.values()].filter((silence) => silence.endsAt > this.now)),
    alerts: () => this.#asked(() => this.#alerts()),
    putSilence: (silence) =>
      this.#asked(() => {
        this.#checkOwn(silence);
        return this.#put(silence);
      }),
    expireSilence: (id) => this.#asked(() => this.endSilence(id)),
  };

  readonly acknowledge = (
    _server: string,
    id: string,
    { durationSeconds, message }: { readonly durationSeconds: number; readonly message: string },
  ): Promise<ActionResult> =>
    this.#operation(() => {
      if (this.isPrtgDown) throw new Error("PRTG is away");
      const sensor = this.sensors.get(id);
      if (sensor === undefined) return "gone";
      const [, silence = ""] = /\(silence ([\w-]+)\)$/.exec(message) ?? [];
      const source = this.silences.get(silence);
      if (source === undefined || ownKeyOf(source) !== undefined)
        this.wrongs.push(`${id} is acknowledged for ${silence}`);
      if (this.statusOf(sensor) !== "down") return "wrong status";
      sensor.acknowledged = { by: "sync", until: this.now + durationSeconds * 1_000 };
      return "done";
    });

  readonly disk: StateFiles = {
    read: async (name) => this.files.get(name),
    write: (name, text) => this.#operation(() => void this.files.set(name, text)),
    rename: (from, to) =>
      this.#operation(() => {
        this.files.set(to, this.files.get(from) ?? "");
        this.files.delete(from);
      }),
    syncDirectory: async () => undefined,
  };

  #asked<Result>(work: () => Result): Promise<Result> {
    return this.#operation(() => {
      if (this.isAlertmanagerDown) throw new Error("Alertmanager is away");
      return work();
    });
  }

  async #operation<Result>(work: () => Result): Promise<Result> {
    if (this.isKilled) throw new Error("killed");
    const fault = this.#fault;
    if (fault === undefined || this.#operations++ < fault.after) return work();
    this.#fault = undefined;
    this.isKilled = fault.kind === "kill";
    if (fault.isApplied) work();
    throw new Error(fault.kind);
  }

  #alerts(): Alert[] {
    const isFiring = (sensor: SimulatedSensor) =>
      this.statusOf(sensor) === "down" &&
      this.now - Math.max(sensor.downSince, sensor.acknowledged?.until ?? 0) >= this.alertsAfterMs;
    const down = [...this.sensors.values()].filter(isFiring);
    return down.map((sensor) => {
      const labels = labelsOf(sensor);
      const by = [...this.silences.values()].filter(
        (silence) => this.#isActive(silence) && compileMatchers(silence.matchers).matches(labels),
      );
      return { labels, silencedBy: by.map(({ id }) => id) };
    });
  }

  #isActive({ startsAt, endsAt }: Silence): boolean {
    return startsAt <= this.now && this.now < endsAt;
  }

  #put({ id, ...silence }: PutSilence): string {
    const known = id === undefined ? undefined : this.silences.get(id);
    const isSame = known !== undefined && JSON.stringify(known.matchers) === JSON.stringify(silence.matchers);
    if (known !== undefined && !isSame) this.endSilence(known.id);
    const own = isSame && this.#isActive(known) ? known.id : `silence-${++this.#ids}`;
    this.silences.set(own, { ...silence, id: own, state: "active", updatedAt: this.now });
    return own;
  }

  /** A silence for an acknowledgement that sync made is an echo. */
  #checkOwn(silence: PutSilence): void {
    const key = ownKeyOf(silence)?.text ?? "";
    const id = key.slice(key.indexOf("/") + 1);
    const sensor = this.sensors.get(id);
    if (sensor?.acknowledged?.by === "sync" && this.statusOf(sensor) === "acknowledged") {
      this.wrongs.push(`${id} has a silence for an acknowledgement of sync`);
    }
    if (silence.id === undefined && this.own.includes(key)) this.wrongs.push(`${key} has a second silence`);
  }
}

function labelsOf({ id, device }: SimulatedSensor): ReadonlyMap<string, string> {
  return new Map([
    ["server", SERVER],
    ["sensor_id", id],
    ["device_id", device],
  ]);
}
