import type { MonitoringApi } from "../prtg/monitoring-api.ts";

/** A client in whose place another one can be put, behind the same object. */
export class ChangingApi implements MonitoringApi {
  #current: MonitoringApi;

  constructor(api: MonitoringApi) {
    this.#current = api;
  }

  /** Returns the one before, which is to be closed. */
  changeTo(next: MonitoringApi): MonitoringApi {
    const before = this.#current;
    this.#current = next;
    return before;
  }

  health(...given: Parameters<MonitoringApi["health"]>): ReturnType<MonitoringApi["health"]> {
    return this.#current.health(...given);
  }

  version(...given: Parameters<MonitoringApi["version"]>): ReturnType<MonitoringApi["version"]> {
    return this.#current.version(...given);
  }

  statusSummary(...given: Parameters<MonitoringApi["statusSummary"]>): ReturnType<MonitoringApi["statusSummary"]> {
    return this.#current.statusSummary(...given);
  }

  objectCounts(...given: Parameters<MonitoringApi["objectCounts"]>): ReturnType<MonitoringApi["objectCounts"]> {
    return this.#current.objectCounts(...given);
  }

  nodes(...given: Parameters<MonitoringApi["nodes"]>): ReturnType<MonitoringApi["nodes"]> {
    return this.#current.nodes(...given);
  }

  channels(...given: Parameters<MonitoringApi["channels"]>): ReturnType<MonitoringApi["channels"]> {
    return this.#current.channels(...given);
  }

  lookups(...given: Parameters<MonitoringApi["lookups"]>): ReturnType<MonitoringApi["lookups"]> {
    return this.#current.lookups(...given);
  }

  timeSeries(...given: Parameters<MonitoringApi["timeSeries"]>): ReturnType<MonitoringApi["timeSeries"]> {
    return this.#current.timeSeries(...given);
  }

  clockOffset(): number {
    return this.#current.clockOffset();
  }

  isClockInDoubt(): boolean {
    return this.#current.isClockInDoubt();
  }

  close(): Promise<void> {
    return this.#current.close();
  }
}
