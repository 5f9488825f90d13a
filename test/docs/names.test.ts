import { describe, expect, test } from "vitest";
import released from "../../api/contract-released.json" with { type: "json" };
import { ERROR_CATALOGUE } from "../../src/errors/catalogue.ts";
import { STATUS_TOKENS } from "../../src/prtg/status.ts";
import first from "../fixtures/upgrades/0.1.0/contract.json" with { type: "json" };
import { promqlLabels } from "../support/promql-labels.ts";
import { ALERTS } from "../support/rule-files.ts";
import { CONFIGURATION_KEYS, DOCUMENTED_METRICS, FLAGS } from "./support/known-names.ts";
import { type DocumentPage, PAGES, parsePage, queriesOf, USER_PAGES } from "./support/pages.ts";

const alerts = new Set(ALERTS.map(({ alert }) => alert));
const annotationsOfAlerts = new Set(ALERTS.flatMap(({ annotations }) => Object.keys(annotations)));
const codes = new Set(Object.keys(ERROR_CATALOGUE));
/** Other capitalised words are foreign. */
const CODE = new RegExp(`^(?:${[...new Set([...codes].map((code) => code.split("_", 1)[0]))].join("|")})_[A-Z_]+$`);
/** Sections whose keys appear with a dot. */
const SECTION = /^(servers(\[\])?|collectors|limits|metrics|mapping|labels|otlp)\.[a-z_.[\]]+$/;

/** The change log names metrics that a release removed, or will remove. */
const FORMER_METRICS = new Set([...Object.keys(released.metrics), ...Object.keys(first.metrics)]);

/** Flags of Prometheus. */
const FLAGS_OF_OTHERS = new Set(["--web.enable-admin-api", "--web.enable-otlp-receiver"]);

function unknownNames({ file, spans, prose }: DocumentPage): string[] {
  const isFormer = (span: string) => file === "CHANGELOG.md" && FORMER_METRICS.has(span);
  return [
    ...spans.filter((span) => /^prtg_[a-z0-9_]*[a-z0-9]$/.test(span) && !isMetric(span) && !isFormer(span)),
    ...spans.filter((span) => CODE.test(span) && !codes.has(span)),
    ...spans.filter((span) => SECTION.test(span) && !isKey(span)),
    ...spans
      .flatMap((span) => /^--(?:config|web|log)\.[\w.-]+/.exec(span) ?? [])
      .filter((flag) => !FLAGS.has(flag) && !FLAGS_OF_OTHERS.has(flag)),
    ...[...prose.matchAll(/\bPrtg[A-Z]\w+/g)].map(([name]) => name).filter((name) => !alerts.has(name)),
  ];
}

/** Pages name a histogram without suffixes. Annotations of alerts look like metrics. */
function isMetric(span: string): boolean {
  return DOCUMENTED_METRICS.has(span) || DOCUMENTED_METRICS.has(`${span}_bucket`) || annotationsOfAlerts.has(span);
}

/** Pages may shorten `servers[].limits.timeout` to `limits.timeout`. */
function isKey(span: string): boolean {
  const key = span.replace(/^servers\./, "servers[].").replace(/\[\]$/, "");
  return [key, `servers[].${key}`].some((each) => CONFIGURATION_KEYS.has(each));
}

/** Names of examples, of other exporters (see migration.test.ts), or patterns. */
const OTHERS = new Set([
  "docs/migration.md",
  "docs/mapping.md",
  "docs/presets.md",
  "docs/units.md",
  "docs/simulator.md",
  "docs/api-coverage.md",
  "docs/status.md",
]);

describe("names of metrics, errors, keys, flags and alerts", () => {
  test.each(USER_PAGES.filter(({ file }) => !OTHERS.has(file)).map((page) => [page.file, page] as const))(
    "exist in %s",
    (_file, page) => {
      expect(unknownNames(page)).toEqual([]);
    },
  );

  test("fail if they are wrong", () => {
    const text =
      "`prtg_channel_value` `prtg_channel_values` `API_TIMEOUT` `API_TIMEOUTS` `limits.max_series` `limits.max_serie` " +
      "`servers[].limits.timeout` `limits.timeout` `collectors.tree.shedule` `PRTG_URL` `prtg_exporter_*` " +
      "`--web.config.file` `--web.config.files web.yml` PrtgSensorDown PrtgSensorDone";
    expect(unknownNames(parsePage("page.md", text))).toEqual([
      "prtg_channel_values",
      "API_TIMEOUTS",
      "limits.max_serie",
      "collectors.tree.shedule",
      "--web.config.files",
      "PrtgSensorDone",
    ]);
  });

  test("come from sources that are not empty", () => {
    expect(CONFIGURATION_KEYS.has("servers[].limits.requests_per_second")).toBe(true);
    expect(DOCUMENTED_METRICS.has("prtg_ping_seconds")).toBe(true);
    expect(FLAGS.has("--web.listen-address")).toBe(true);
  });
});

const documentedQueries = PAGES.flatMap((page) => queriesOf(page).map((query) => [page.file, query] as const));

describe("PromQL in pages", () => {
  test.each(documentedQueries)("has existing names in %s: %s", (_file, query) => {
    expect(promqlLabels(query, DOCUMENTED_METRICS).unknown).toEqual([]);
  });

  // With `metrics.sensor_status: all`, each sensor has a series for each status.
  test.each(PAGES.filter(({ prose, blocks }) => `${prose}${JSON.stringify(blocks)}`.includes("prtg_sensor_status{")))(
    "counts only current statuses in $file",
    ({ prose, blocks }) => {
      const text = [prose, ...blocks.map((block) => block.text)].join("\n");
      const selectors = [...text.matchAll(/prtg_sensor_status\{[^}]*\}(.{0,6})/g)];
      expect(selectors.filter(([, next = ""]) => !next.startsWith(" == 1")).map(([whole]) => whole)).toEqual([]);
    },
  );

  test("is found query by query", () => {
    const blocks = [{ language: "promql", text: "a  # one\n\nsum(\n  b\n)\nc\n  and d\n" }];
    expect(queriesOf({ blocks })).toEqual(["a", "sum(\n  b\n)", "c\n  and d"]);
    const files = new Set(documentedQueries.map(([file]) => file));
    expect([...files]).toEqual(expect.arrayContaining(["README.md", "docs/faq.md", "docs/migration.md"]));
  });

  test.each(documentedQueries)("selects existing statuses in %s: %s", (_file, query) => {
    const chosen = [...query.matchAll(/\bstatus=~?"([^"]*)"/g)].flatMap(([, list = ""]) => list.split("|"));
    const tokens: readonly string[] = STATUS_TOKENS;
    expect(chosen.filter((token) => !/[^a-z]/.test(token) && !tokens.includes(token))).toEqual([]);
  });
});
