import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Alertmanager, startAlertmanager } from "./support/alertmanager.ts";
import { startAnsweringServer } from "./support/answering-server.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus } from "./support/prometheus.ts";
import { DAY_MINUTES, scriptedDay } from "./support/scripted-day.ts";
import { ScriptedPage } from "./support/scripted-page.ts";
import { shortened, shortenedRules, shortenedWait } from "./support/shortened-rules.ts";

const EXAMPLE = fileURLToPath(new URL("../../deploy/alertmanager/alertmanager.yml", import.meta.url));
/** A minute takes two seconds. */
const PART = 30;
const MINUTE_MS = 60_000 / PART;
const LIMIT_MS = DAY_MINUTES * MINUTE_MS + 120_000;

describeWithPrograms(["prometheus-3", "alertmanager"], "notifications of a scripted day", (programs) => {
  let folder: string;
  let page: Awaited<ReturnType<typeof startAnsweringServer>>;
  let alertmanager: Alertmanager;
  let prometheus: Prometheus;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-day-"));
    const pages = scriptedDay().map((story) => new ScriptedPage(story));
    // Minute 0 until all programs run.
    let begin = Number.POSITIVE_INFINITY;
    const minuteNow = () => Math.max(0, (Date.now() - begin) / MINUTE_MS);
    page = await startAnsweringServer(async () => {
      const now = Date.now();
      const minute = minuteNow();
      const timeOf = (of: number) => (now - (minute - of) * MINUTE_MS) / 1000;
      const lines = pages.flatMap((each) => each.lines(minute, timeOf));
      return { status: 200, headers: { "content-type": "text/plain; version=0.0.4" }, body: `${lines.join("\n")}\n` };
    });
    alertmanager = await startAlertmanager(programs.alertmanager, (webhook) =>
      shortened(readFileSync(EXAMPLE, "utf8"), PART).replaceAll("http://127.0.0.1:9095", webhook),
    );
    prometheus = await Prometheus.start({
      binary: programs["prometheus-3"],
      target: new URL(page.url).host,
      config: {
        rule_files: await shortenedRules(folder, PART, { change: shortenedWait(PART) }),
        alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager.address] }] }] },
      },
    });
    await prometheus.waitUntilScraped();
    begin = Date.now();
    await sleep(DAY_MINUTES * MINUTE_MS);
  }, LIMIT_MS);

  afterAll(async () => {
    await prometheus?.stop();
    await alertmanager?.stop();
    await page?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Names of alerts in each notification about a server, and if it is about an end. */
  function told(server: string): string[] {
    return alertmanager.notifications
      .filter(({ groupLabels }) => groupLabels.server === server)
      .map(({ status, alerts }) => `${status} ${[...new Set(alerts.map(({ labels }) => labels.alertname))].join()}`);
  }

  test.each([
    ["site outage", ["firing PrtgOutage", "resolved PrtgOutage"]],
    ["flapping link", ["firing PrtgOutage", "resolved PrtgOutage"]],
    ["maintenance", []],
    ["lost probe", ["firing PrtgProbeDisconnected", "resolved PrtgProbeDisconnected"]],
    ["restart of PRTG", ["firing PrtgServerUnreachable", "resolved PrtgServerUnreachable"]],
  ] as const)("about a %s are one, and one when it is over", (server, expected) => {
    expect(told(server)).toEqual(expected);
  });

  test("about three dead devices of a site that works are one for each device", () => {
    expect(told("three dead devices").toSorted()).toEqual([
      ...Array.from({ length: 3 }, () => "firing PrtgDeviceDown"),
      ...Array.from({ length: 3 }, () => "resolved PrtgDeviceDown"),
    ]);
  });

  test("say how many sensors are down", () => {
    const [first] = alertmanager.notifications.filter(({ groupLabels }) => groupLabels.server === "site outage");
    expect(first?.alerts.map(({ annotations }) => annotations.summary)).toEqual([
      expect.stringMatching(
        /^310 of 368 sensors below Remote Probe\/Singapore Office on site outage are down since \d\d:\d\d UTC\.$/,
      ),
    ]);
  });
});
