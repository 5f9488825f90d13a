import { pino } from "pino";
import { Redactor } from "../../../src/errors/redactor.ts";
import { AuditLog } from "../../../src/sync/audit-log.ts";
import { SyncLoop, type SyncLoopOptions } from "../../../src/sync/sync-loop.ts";
import { SyncMemory } from "../../../src/sync/sync-memory.ts";
import { syncRecorder } from "../../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../../support/exporter-metrics.ts";
import { never } from "../../support/never-aborted.ts";
import { TwoSides } from "./two-sides.ts";

export const SENSORS = 6;
export const ROUND_MS = 30_000;
export const SPAN_MS = 20 * 60_000;
const RULES = { spanMs: SPAN_MS, maxSensors: 4, acknowledge: true, silenceAcknowledged: true, silencePaused: true };

/** Rounds of sync over two sides in memory. A killed process is started again in the next round. */
export class SyncRun {
  readonly world = new TwoSides(Date.UTC(2026, 0, 15, 12), SENSORS);
  readonly audit: string[] = [];
  readonly log: string[] = [];
  readonly #options: Partial<SyncLoopOptions>;
  #loop: SyncLoop | undefined;

  constructor(options: Partial<SyncLoopOptions> = {}) {
    this.#options = options;
  }

  async rounds(count: number, signal = never): Promise<void> {
    for (let round = 0; round < count; round++) {
      this.world.now += ROUND_MS;
      this.world.poll();
      this.#loop ??= await this.#start();
      await this.#loop.round(signal);
      if (this.world.isKilled) {
        this.#loop = undefined;
        this.world.restart();
      }
    }
  }

  /** In its own rhythm. */
  async run(signal: AbortSignal): Promise<void> {
    this.world.poll();
    await (await this.#start()).run(signal);
  }

  /** What happens now, happens without sync. */
  goAway(rounds: number): void {
    this.#loop = undefined;
    this.world.restart();
    this.world.now += rounds * ROUND_MS;
  }

  /** Whether the last acknowledgement of sync may still last, as far as sync knows. */
  remembers(id: string): boolean {
    const { acknowledged = {} } = JSON.parse(this.world.files.get("sync.json") ?? "{}");
    return acknowledged[`hq/${id}`]?.until > this.world.now - 3 * 60_000;
  }

  async #start(): Promise<SyncLoop> {
    const { world } = this;
    const clock = {
      now: () => world.now,
      monotonic: () => world.now,
      after: () => () => undefined,
      sleep: async () => undefined,
    };
    const output = {
      write: async (lines: readonly string[]) => {
        this.audit.push(...lines);
        return { written: lines.length };
      },
    };
    return new SyncLoop({
      ...{
        alertmanager: world.alertmanager,
        acknowledge: world.acknowledge,
        servers: () => world.servers(),
        names: ["hq"],
        knowsSince: 0,
      },
      ...{ memory: await SyncMemory.open(world.disk), rules: RULES, clock },
      audit: new AuditLog(output, clock, "a", new Redactor()),
      ...{
        changesPerMinute: 30,
        intervalMs: ROUND_MS,
        isLeading: () => true,
        log: pino({}, { write: (line) => void this.log.push(JSON.parse(line).msg) }),
      },
      observer: syncRecorder(emptyMetrics()),
      ...this.#options,
    });
  }
}

export function matcher(name: string, value: string) {
  return { name, value, isRegex: false, isEqual: true };
}
