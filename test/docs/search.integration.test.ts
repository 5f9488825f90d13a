import { beforeAll, describe, expect, test } from "vitest";
import { PAGES } from "./support/pages.ts";
import { type SearchIndex, searchIndex } from "./support/search-index.ts";

/** Questions in the words of users, and the section of a page that answers each. It must be the first result. */
const ADMINISTRATION = [
  ["rename a label", "mapping#rename-labels-and-labels-from-tags"],
  ["sensor missing", "troubleshooting#a-sensor-a-channel-or-a-series-is-missing"],
  ["rotate API key", "reload#rotate-an-api-key"],
  ["high availability", "operations#high-availability"],
  ["requests per minute", "operations#requests-per-minute"],
  ["PRTG Hosted", "comparison#hosted-monitor-and-clusters"],
  ["exclude paused sensors", "faq#how-do-i-exclude-paused-sensors"],
  ["maintenance windows", "alerts#maintenance-windows"],
  ["alert per site", "alerts#route-alerts-by-site-or-team"],
  ["cost in Grafana Cloud", "grafana-cloud#cost-in-grafana-cloud"],
  ["delete old series", "operations#delete-old-series"],
  ["which ports", "ports#which-ports-to-open"],
  ["upgrade", "operations#upgrade-to-a-new-version"],
  ["safe to expose", "ports#is-it-safe-to-expose-the-exporter"],
  ["writes to PRTG", "faq#does-it-write-to-prtg-or-is-it-read-only"],
  ["air-gapped install", "deployment#install-without-internet-air-gapped"],
  ["monitor the exporter", "operations#monitor-the-exporter-itself"],
  ["difference to the plugin", "faq#what-is-the-difference-to-the-grafana-plugin-and-does-it-replace-it"],
  ["convert units", "mapping#units"],
  ["value differs from PRTG", "troubleshooting#a-value-differs-from-prtg"],
  ["time zones", "faq#which-time-zone-do-times-have"],
  ["downtime report per month", "alerts#downtime-per-month"],
  ["German channel names", "faq#my-channels-have-german-names-does-it-matter"],
  ["duplicate device names", "faq#two-devices-have-the-same-name-how-do-i-tell-them-apart"],
  ["PRTG restarts", "operations#if-prtg-is-down-or-restarts"],
] as const;

const COMPARISON = [
  ["difference to PRTG Data Exporter", "comparison#difference-to-prtg-data-exporter"],
  ["Grafana data source or exporter", "comparison#grafana-data-source-or-exporter"],
  ["API v1 or v2", "comparison#api-v1-or-v2"],
  ["Hosted Monitor", "comparison#hosted-monitor-and-clusters"],
  ["cluster failover node", "faq#does-it-work-with-prtg-hosted-monitor-or-with-a-cluster-and-failover-nodes"],
  ["does it replace the Grafana plugin", "faq#what-is-the-difference-to-the-grafana-plugin-and-does-it-replace-it"],
  ["load on PRTG", "comparison#load-on-prtg"],
  ["history backfill", "comparison#history-and-backfill"],
  ["licence cost", "comparison#licence-and-cost"],
  ["toplists syslog traps", "faq#what-can-api-v2-not-give-toplists-syslog-traps"],
] as const;

/** The same questions in other words: the index must not fit the words above only. */
const OTHER_WORDS = [
  ["change label name", "mapping#rename-labels-and-labels-from-tags"],
  ["no data for a sensor", "troubleshooting#a-sensor-a-channel-or-a-series-is-missing"],
  ["new api key", "reload#rotate-an-api-key"],
  ["redundancy", "operations#high-availability"],
  ["hide paused sensors", "faq#how-do-i-exclude-paused-sensors"],
  ["scheduled maintenance", "alerts#maintenance-windows"],
  ["send alerts to the team of a site", "alerts#route-alerts-by-site-or-team"],
  ["price of Grafana Cloud", "grafana-cloud#cost-in-grafana-cloud"],
  ["firewall ports", "ports#which-ports-to-open"],
  ["update to a new version", "operations#upgrade-to-a-new-version"],
  ["read only", "faq#does-it-write-to-prtg-or-is-it-read-only"],
  ["offline installation", "deployment#install-without-internet-air-gapped"],
  ["bytes instead of Mbit", "mapping#units"],
  ["timezone", "faq#which-time-zone-do-times-have"],
  ["umlauts", "faq#my-channels-have-german-names-does-it-matter"],
  ["PRTG server reboot", "operations#if-prtg-is-down-or-restarts"],
] as const;

/** Names that users know from the product, and a page that must be among the first results. */
const NAMES = [
  ["prtg_channel_value", "metrics"],
  ["prtg_ping_seconds", "presets"],
  ["--web.listen-address", "commands"],
  ["API_UNAUTHORIZED", "errors"],
  ["PrtgDeviceDown", "runbooks/PrtgDeviceDown"],
] as const;

let ask: SearchIndex["ask"];

beforeAll(async () => {
  ({ ask } = await searchIndex());
}, 120_000);

describe("search of the site", () => {
  test.each([...ADMINISTRATION, ...COMPARISON, ...OTHER_WORDS])("finds the answer to %s first", (question, section) => {
    expect(ask(question)[0]).toBe(section);
  });

  test.each(NAMES)("finds %s", (name, page) => {
    const pages = ask(name).map((section) => section.split("#", 1)[0]);
    expect(pages.slice(0, 5)).toContain(page);
  });

  test("asks for sections that exist", () => {
    const anchors = new Map(PAGES.map((page) => [page.file, page.anchors]));
    const missing = [...ADMINISTRATION, ...COMPARISON, ...OTHER_WORDS].filter(([, section]) => {
      const [page = "", anchor = ""] = section.split("#");
      return anchors.get(`docs/${page}.md`)?.has(anchor) !== true;
    });
    expect(missing).toEqual([]);
  });

  test("does not put reasons and long tables before pages for users", () => {
    for (const [question] of [...ADMINISTRATION, ...COMPARISON, ...OTHER_WORDS]) {
      expect(ask(question)[0], question).not.toMatch(/^(decisions\/|sensor-kinds|presets|api-coverage)/);
    }
  });
});
