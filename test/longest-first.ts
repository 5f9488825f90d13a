import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Measured alone on two cores. Long files first keep all cores busy. A clone has no measured times. */
const SECONDS: Readonly<Record<string, number>> = {
  "test/real/dependencies.nightly.test.ts": 190,
  "test/real/dashboards.nightly.test.ts": 155,
  "test/real/machines.nightly.test.ts": 135,
  "test/end-to-end/hostile-answers.test.ts": 123,
  "test/real/alertmanager.nightly.test.ts": 111,
  "test/real/packages.nightly.test.ts": 103,
  "test/real/schemathesis.nightly.test.ts": 86,
  "test/real/otlp-events.test.ts": 85,
  "test/real/otlp-collector.test.ts": 72,
  "test/real/scrape.test.ts": 70,
  "test/end-to-end/check-matrix.test.ts": 70,
  "test/faults/missing-endpoints.test.ts": 68,
  "test/real/generators.nightly.test.ts": 67,
  "test/real/bench.nightly.test.ts": 63,
  "test/real/victoria-metrics.test.ts": 60,
  "test/real/otlp-collector-outages.test.ts": 56,
  "test/real/otlp-series-ends.test.ts": 55,
  "test/end-to-end/events.test.ts": 53,
  "test/real/disappearance.test.ts": 52,
  "test/end-to-end/standby.test.ts": 50,
  "test/real/rules.test.ts": 45,
  "test/real/installer-wine.nightly.test.ts": 45,
  "test/end-to-end/reload.test.ts": 42,
  "test/real/otlp-prometheus.test.ts": 37,
  "test/real/generators.test.ts": 34,
  "test/cli/report/report.integration.test.ts": 34,
  "test/end-to-end/shutdown-phases.test.ts": 33,
  "test/real/victoria-metrics-large-page.nightly.test.ts": 35,
  "test/real/service-discovery.test.ts": 32,
  "test/real/packages-debian.nightly.test.ts": 30,
  "test/real/otlp-profile.test.ts": 30,
  "test/scripts/capture.integration.test.ts": 30,
  "test/docs/site.integration.test.ts": 27,
  "test/real/otlp-profile-prometheus.test.ts": 25,
  "test/real/mapping.test.ts": 24,
  "test/app/exporter-change.integration.test.ts": 24,
  "test/real/backfill.test.ts": 24,
};

/** Others keep their order. */
export function longestFirst<File>(files: readonly File[], nameOf: (file: File) => string): File[] {
  const seconds = (file: File) => SECONDS[nameOf(file)] ?? 0;
  return files.toSorted((a, b) => seconds(b) - seconds(a));
}

export const LONG_FILES: readonly string[] = Object.keys(SECONDS);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    return longestFirst(await super.sort(files), ({ moduleId }) => relative(root, moduleId));
  }
}
