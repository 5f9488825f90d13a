import { Election, type ElectionTimes, type Lease, type LeaseClaim } from "../../../src/leadership/election.ts";
import { requestTimeout } from "../../../src/leadership/elector.ts";

/** Milliseconds of real time. */
export interface Faults {
  /** Probability of losing a request or answer. */
  readonly loss: number;
  /** Longest one-way delay to the API server. */
  readonly delayMs: number;
  /** Average, for pauses, kills and orderly ends. */
  readonly disturbEveryMs: number;
  /** Average, for edits of labels, content or existence. */
  readonly editEveryMs: number;
}

export const NO_FAULTS: Faults = {
  loss: 0,
  delayMs: 50,
  disturbEveryMs: Number.POSITIVE_INFINITY,
  editEveryMs: Number.POSITIVE_INFINITY,
};

interface ReplicasOptions {
  readonly contenders: number;
  readonly times: ElectionTimes;
  readonly random: () => number;
  /** Maximum clock rate error, such as 0.1. */
  readonly drift: number;
}

interface Contender {
  readonly name: string;
  readonly rate: number;
  readonly offset: number;
  identity: string;
  election: Election;
  /** False when ending or dead. */
  isActive: boolean;
  /** Invalidates earlier callbacks. */
  incarnation: number;
  pausedUntil: number;
}

interface Planned {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

const MAX_PAUSE_MS = 40_000;
const MAX_RESTART_MS = 5_000;

/** In simulated real time. Records moments with two self-declared leaders. */
export class SimulatedReplicas {
  readonly twoLeaders: string[] = [];
  faults: Faults = NO_FAULTS;
  #now = 0;
  #order = 0;
  #version = 0;
  #lease: Lease | undefined;
  readonly #planned: Planned[] = [];
  readonly #contenders: Contender[];
  readonly #options: ReplicasOptions;

  constructor(options: ReplicasOptions) {
    const { contenders, random, drift } = options;
    this.#options = options;
    this.#contenders = Array.from({ length: contenders }, (_, index) => ({
      name: `replica-${index}`,
      rate: 1 + drift * (2 * random() - 1),
      offset: random() * 1e9,
      identity: "",
      election: new Election("", options.times, random),
      isActive: false,
      incarnation: 0,
      pausedUntil: 0,
    }));
    for (const contender of this.#contenders) this.#restart(contender, random() * MAX_RESTART_MS);
    this.#plan(0, () => this.#disturb());
    this.#plan(0, () => this.#edit());
  }

  get now(): number {
    return this.#now;
  }

  leaders(): readonly string[] {
    return this.#contenders.filter((each) => this.#leads(each)).map(({ name }) => name);
  }

  run(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#takeNext(end);
      if (next === undefined) break;
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }

  /** Returns the milliseconds until `holds`, or `maxMs`. */
  runUntil(holds: () => boolean, maxMs: number): number {
    const from = this.#now;
    while (!holds() && this.#now - from < maxMs) this.run(10);
    return this.#now - from;
  }

  /** Without releasing the Lease. */
  killLeader(restartAfterMs: number): void {
    for (const contender of this.#contenders) {
      if (!this.#leads(contender)) continue;
      contender.isActive = false;
      this.#restart(contender, restartAfterMs);
    }
  }

  /** Releases the Lease. */
  stopLeader(restartAfterMs: number): void {
    for (const contender of this.#contenders) if (this.#leads(contender)) this.#stop(contender, restartAfterMs);
  }

  #leads({ isActive, election, rate, offset }: Contender): boolean {
    return isActive && election.isLeading(offset + rate * this.#now);
  }

  #takeNext(end: number): Planned | undefined {
    let best = -1;
    for (const [index, { at, order }] of this.#planned.entries()) {
      const known = this.#planned[best];
      if (known === undefined || at < known.at || (at === known.at && order < known.order)) best = index;
    }
    const next = this.#planned[best];
    if (next === undefined || next.at > end) return undefined;
    this.#planned.splice(best, 1);
    return next;
  }

  #plan(afterMs: number, run: () => void): void {
    this.#planned.push({ at: this.#now + afterMs, order: this.#order++, run });
  }

  /** Skipped after a restart, delayed by a pause. */
  #planFor(contender: Contender, afterMs: number, run: () => void): void {
    const { incarnation } = contender;
    const attempt = (): void => {
      if (contender.incarnation !== incarnation) return;
      if (contender.pausedUntil > this.#now) this.#plan(contender.pausedUntil - this.#now, attempt);
      else run();
    };
    this.#plan(afterMs, attempt);
  }

  #local({ rate, offset }: Contender): number {
    return offset + rate * this.#now;
  }

  #restart(contender: Contender, afterMs: number): void {
    const incarnation = ++contender.incarnation;
    const { times, random } = this.#options;
    this.#plan(afterMs, () => {
      if (contender.incarnation !== incarnation) return;
      // A restarted container keeps its pod's identity. A new pod does not.
      if (contender.identity === "" || random() < 0.5) contender.identity = `${contender.name}_${incarnation}`;
      contender.election = new Election(contender.identity, times, random);
      contender.isActive = true;
      this.#act(contender);
    });
  }

  #stop(contender: Contender, restartAfterMs: number): void {
    contender.isActive = false;
    this.#giveBack(contender, contender.election, 3);
    this.#restart(contender, restartAfterMs);
  }

  /** Retries until the process's next start. */
  #giveBack(contender: Contender, election: Election, attempts: number): void {
    this.#ask(this.#readLease, (lease) => {
      const isOver = attempts === 0 || contender.election !== election;
      if (isOver || lease?.holder !== contender.identity) return;
      const release = () => this.#writeLease(lease, { holder: "", durationMs: 1_000, isTaken: false });
      this.#ask(release, (result) => {
        if (result === "conflict") this.#giveBack(contender, election, attempts - 1);
      });
    });
  }

  #act(contender: Contender): void {
    const { election } = contender;
    const startedAt = this.#local(contender);
    const step = election.next(startedAt);
    if (step.kind === "lost") {
      contender.isActive = false;
      this.#restart(contender, this.#options.random() * MAX_RESTART_MS);
    } else if (step.kind === "wait") {
      this.#planFor(contender, (step.end - startedAt) / contender.rate + 0.001, () => this.#act(contender));
    } else if (step.kind === "read") {
      this.#exchange(contender, startedAt, this.#readLease, (lease) => {
        election.found(lease, this.#local(contender));
      });
    } else if (step.kind === "create") {
      this.#exchange(contender, startedAt, this.#createLease, (lease) => {
        if (lease === "conflict") election.conflicted(this.#local(contender));
        else election.found(lease, this.#local(contender));
      });
    } else {
      const write = () => this.#writeLease(step.over, step.claim);
      this.#exchange(contender, startedAt, write, (lease) => {
        if (lease === "conflict") election.conflicted(this.#local(contender));
        else election.written(lease, startedAt, this.#local(contender));
        this.#check();
      });
    }
  }

  /** Includes the time limit. */
  #exchange<Answer>(
    contender: Contender,
    startedAt: number,
    process: () => Answer,
    take: (answer: Answer) => void,
  ): void {
    const { election, rate, incarnation } = contender;
    let isSettled = false;
    const settle = (apply: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      apply();
      this.#act(contender);
    };
    const leftMs = (election.leadershipEnd ?? Number.POSITIVE_INFINITY) - startedAt;
    const timeoutMs = Math.min(requestTimeout(this.#options.times), leftMs) / rate;
    this.#planFor(contender, timeoutMs, () => settle(() => election.failed(startedAt, this.#local(contender))));
    this.#ask(process, (answer) => {
      if (contender.incarnation === incarnation) this.#planFor(contender, 0, () => settle(() => take(answer)));
    });
  }

  /** Either way may lose the message. */
  #ask<Answer>(process: () => Answer, take: (answer: Answer) => void = () => undefined): void {
    const { random } = this.#options;
    const { loss, delayMs } = this.faults;
    // Most are quick.
    const way = () => delayMs * random() ** 3;
    if (random() < loss) return;
    this.#plan(way(), () => {
      const answer = process();
      if (random() >= loss) this.#plan(way(), () => take(answer));
    });
  }

  readonly #readLease = (): Lease | undefined => this.#lease;

  readonly #createLease = (): Lease | "conflict" =>
    this.#lease === undefined ? this.#put({ holder: undefined, isReleased: false, durationMs: undefined }) : "conflict";

  #writeLease(over: Lease, { holder, durationMs }: LeaseClaim): Lease | "conflict" {
    if (over.version !== this.#lease?.version) return "conflict";
    return this.#put({ holder: holder || undefined, isReleased: holder === "", durationMs });
  }

  #put(said: Pick<Lease, "holder" | "isReleased" | "durationMs">): Lease {
    this.#lease = { ...said, version: String(++this.#version), source: undefined };
    return this.#lease;
  }

  #check(): void {
    const leaders = this.leaders();
    if (leaders.length > 1) this.twoLeaders.push(`${leaders.join(" and ")} at ${Math.round(this.#now)} ms`);
  }

  #disturb(): void {
    const { random } = this.#options;
    const { disturbEveryMs } = this.faults;
    this.#plan(Number.isFinite(disturbEveryMs) ? 2 * disturbEveryMs * random() : 1_000, () => this.#disturb());
    const contender = this.#contenders[Math.floor(random() * this.#contenders.length)];
    if (!Number.isFinite(disturbEveryMs) || contender?.isActive !== true) return;
    const what = random();
    if (what < 0.5) contender.pausedUntil = this.#now + MAX_PAUSE_MS * random() ** 2;
    else if (what < 0.75) this.#stop(contender, MAX_RESTART_MS * random());
    else {
      contender.isActive = false;
      this.#restart(contender, MAX_RESTART_MS * random());
    }
  }

  #edit(): void {
    const { random } = this.#options;
    const { editEveryMs } = this.faults;
    this.#plan(Number.isFinite(editEveryMs) ? 2 * editEveryMs * random() : 1_000, () => this.#edit());
    if (!Number.isFinite(editEveryMs)) return;
    const what = random();
    if (what < 0.4) this.#lease = undefined;
    else if (what < 0.7 || this.#lease === undefined)
      this.#put({ holder: undefined, isReleased: false, durationMs: undefined });
    else this.#put(this.#lease);
  }
}

/** Mulberry32, in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
