import type { CourseSample, StatusCourse } from "../http/pages/status/courses.ts";
import type { Clock } from "../lib/clock.ts";
import type { ServerState } from "../model/server-state.ts";
import { STATUS_GROUPS, STATUSES, type StatusGroup } from "../prtg/status.ts";

const EVERY_MS = 60_000;
const KEPT = 240;
/** A timer may fire this early. The sample belongs to the minute that begins. */
const EARLY_MS = 5;

const GROUPS = STATUS_GROUPS.length;
const MAX_UINT16 = 2 ** 16 - 1;

/** A ring of four hours for one server, in 5 kB (8 kB with many sensors): a sample a minute. */
class Ring {
  /** Minute of each place; 0: empty. */
  readonly #minutes = new Uint32Array(KEPT);
  #counts: Uint16Array | Uint32Array = new Uint16Array(KEPT * GROUPS);

  put(minute: number, counts: Uint32Array): void {
    const place = minute % KEPT;
    if (this.#counts instanceof Uint16Array && Math.max(...counts) > MAX_UINT16) {
      this.#counts = Uint32Array.from(this.#counts);
    }
    this.#minutes[place] = minute;
    this.#counts.set(counts, place * GROUPS);
  }

  /** @param wallOf the wall clock at a minute, milliseconds */
  course(minute: number, wallOf: (minute: number) => number): StatusCourse {
    const samples: CourseSample[] = [];
    for (let at = Math.max(1, minute - KEPT + 1); at <= minute; at++) {
      const place = at % KEPT;
      if (this.#minutes[place] !== at) continue;
      const count = (group: StatusGroup) => this.#counts[place * GROUPS + STATUS_GROUPS.indexOf(group)] ?? 0;
      const [down, unknown, acknowledged] = [count("down"), count("unknown"), count("acknowledged")];
      const [warning, paused, other, up] = [count("warning"), count("paused"), count("other"), count("up")];
      const counts = { down, unknown, acknowledged, warning, paused, other, up };
      samples.push({ at: wallOf(at), counts });
    }
    return samples;
  }
}

type Monitors = () => ReadonlyMap<string, { readonly view: { readonly state: Pick<ServerState, "sensorsByStatus"> } }>;

/** Numbers of sensors by status for each server: a sample a minute, four hours. */
export class StatusCourses {
  readonly #clock: Clock;
  readonly #monitors: Monitors;
  readonly #rings = new Map<string, Ring>();
  readonly #stopping = new AbortController();
  /** Monotonic. Minutes count from 1. */
  readonly #startedAt: number;

  constructor(clock: Clock, monitors: Monitors) {
    this.#clock = clock;
    this.#monitors = monitors;
    this.#startedAt = clock.monotonic();
  }

  /** Samples until `stop`. Resolves then. */
  async run(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      for (;;) {
        this.sample();
        await this.#clock.sleep(EVERY_MS - ((this.#clock.monotonic() - this.#startedAt) % EVERY_MS), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** A server without sensors has no sample. */
  sample(): void {
    const monitors = this.#monitors();
    for (const server of this.#rings.keys()) if (!monitors.has(server)) this.#rings.delete(server);
    const minute = this.#minute();
    for (const [server, monitor] of monitors) {
      const counts = new Uint32Array(GROUPS);
      for (const [status, count] of monitor.view.state.sensorsByStatus) {
        const place = STATUS_GROUPS.indexOf(STATUSES[status].group);
        counts[place] = (counts[place] ?? 0) + count;
      }
      if (counts.some((count) => count > 0)) this.#ringOf(server).put(minute, counts);
    }
  }

  of(server: string): StatusCourse {
    const now = this.#minute();
    const begins = this.#clock.now() - (this.#clock.monotonic() - this.#startedAt);
    return this.#rings.get(server)?.course(now, (minute) => begins + (minute - 1) * EVERY_MS) ?? [];
  }

  #minute(): number {
    return 1 + Math.floor((this.#clock.monotonic() - this.#startedAt + EARLY_MS) / EVERY_MS);
  }

  #ringOf(server: string): Ring {
    const known = this.#rings.get(server);
    if (known !== undefined) return known;
    const ring = new Ring();
    this.#rings.set(server, ring);
    return ring;
  }
}
