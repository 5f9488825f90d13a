/** A tenth of the runs of a property by day, and all of them with PRTG_EXPORTER_NIGHTLY=1. */
export function runs(all: number): number {
  return process.env.PRTG_EXPORTER_NIGHTLY === "1" ? all : Math.ceil(all / 10);
}
