import { ExporterError } from "../errors/exporter-error.ts";
import type { Redactor } from "../errors/redactor.ts";
import type { LineOutput } from "../events/json-lines-sink.ts";
import type { Clock } from "../lib/clock.ts";
import type { Change } from "./decide.ts";

/**
 * Who changed what, why, and with which result: JSON lines, each flushed before the work goes on. A line without a later one of the same
 * change means that the process ended in between, and that the result is unknown.
 */
export class AuditLog {
  readonly #output: LineOutput;
  readonly #clock: Pick<Clock, "now">;
  readonly #identity: string;
  readonly #redactor: Pick<Redactor, "redact">;
  #count = 0;

  /** @param identity Of this process: numbers of changes start anew with it. */
  constructor(output: LineOutput, clock: Pick<Clock, "now">, identity: string, redactor: Pick<Redactor, "redact">) {
    this.#output = output;
    this.#clock = clock;
    this.#identity = identity;
    this.#redactor = redactor;
  }

  /** Rejects with ExporterError SYNC_AUDIT_UNWRITABLE: then nothing may be changed. */
  async planned(change: Change): Promise<void> {
    this.#count++;
    await this.#write(change, "planned");
  }

  /**
   * Result of the change that was planned last. Rejects as `planned`.
   * @param id Of the silence that Alertmanager created or updated.
   */
  async ended(change: Change, result: string, id?: string): Promise<void> {
    await this.#write(change, result, id);
  }

  async #write(change: Change, result: string, id?: string): Promise<void> {
    const time = new Date(this.#clock.now()).toISOString();
    const number = `${this.#identity}-${this.#count}`;
    const line = JSON.stringify({ time, change: number, result, ...change, ...(id !== undefined && { id }) });
    const { fault } = await this.#output.write([`${this.#redactor.redact(line)}\n`], [""]);
    if (fault !== undefined) throw auditFault(fault);
  }
}

export function auditFault(cause: unknown): ExporterError {
  return new ExporterError("SYNC_AUDIT_UNWRITABLE", "the audit log of sync cannot be written", { cause });
}
