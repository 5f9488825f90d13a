import { describe, expect, test } from "vitest";
import { formatLabels } from "../../src/exposition/text-format.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { record } from "../model/build-record.ts";
import { startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { HistoryServer, HOUR, MINUTE, NOW, valueAt } from "./history-server.ts";
import { push } from "./pushing.ts";
import { configured, emptyFolder, filesOf, run, type Wanted } from "./running.ts";

const SECTIONS = `
labels:
  keep: [device, channel]
  rename: { device: host_name }
  from_tags: [{ tag: "site:*", label: site }]
mapping:
  keep_original: KEEP
  rules:
    - { match: { channel: "channel -4" }, drop: true }
    - match: { channel: '/channel (?<number>2)/', unit: msec }
      name: answer_seconds
      help: Time of an answer.
      unit: seconds
      labels: { number: $<number> }
    - { match: { channel: "channel 2" }, name: load_ratio, help: Load., unit: ratio }
`;

const FROM = NOW - 6 * HOUR;
const TO = NOW - 5 * HOUR;
const WANTED = { from: "6h", to: "5h", resolution: "short" } as const satisfies Wanted;

async function settings(keepOriginal: boolean) {
  return configured(SECTIONS.replace("KEEP", String(keepOriginal)));
}

/** Channels -4, 0, 2 and 10. Channel 2's units differ per sensor, so it maps to two families. Only sensor 10 has the tag. */
function server(): HistoryServer {
  const api = new HistoryServer({ sensors: ["10", "9"], channels: 4 });
  for (const [index, channel] of api.channelRecords.entries()) {
    if (channel.sensorId === "9" && channel.channelId === "2") api.channelRecords[index] = { ...channel, unit: "msec" };
  }
  api.put(record("sensor", "10", "3", { name: "Ping 10", type: "ping", tags: ["site:berlin"] }));
  return api;
}

/** Milliseconds since the epoch. */
const TIMES = Array.from(
  { length: 12 },
  (_, index) => Math.ceil(FROM / (5 * MINUTE)) * 5 * MINUTE + index * 5 * MINUTE,
);

/** In the displayed unit. */
const displayed = (sensorId: string, channelId: string) => (at: number) => valueAt(sensorId, channelId, "short", at);

function lines(series: string, measured: (at: number) => number): string[] {
  return TIMES.map((at) => `${series} ${measured(at)} ${at / 1_000}`);
}

const DEVICE = String.raw`host_name="a \"device\""`;
const site = (id: string) => `site="${id === "10" ? "berlin" : ""}"`;

function original(id: string, channelId: string): string[] {
  const labels = `server="hq",sensor_id="${id}",channel_id="${channelId}",${DEVICE},channel="channel ${channelId}",${site(id)}`;
  return lines(`prtg_channel_value{${labels}}`, displayed(id, channelId));
}

function mapped(name: string, id: string, own: string, convert: (value: number) => number): string[] {
  const labels = `server="hq",sensor_id="${id}",channel_id="2",${DEVICE},channel="channel 2",${site(id)}${own}`;
  return lines(`${name}{${labels}}`, (at) => convert(displayed(id, "2")(at)));
}

const ANSWERS = [
  "# TYPE answer_seconds gauge",
  "# UNIT answer_seconds seconds",
  "# HELP answer_seconds Time of an answer.",
  ...mapped("answer_seconds", "9", ',number="2"', (value) => value / 1_000),
];
const LOADS = [
  "# TYPE load_ratio gauge",
  "# HELP load_ratio Load.",
  ...mapped("load_ratio", "10", "", (value) => value / 100),
];
const ORIGINALS_HEAD = [
  "# TYPE prtg_channel_value gauge",
  `# HELP prtg_channel_value ${TREE_FAMILIES.channelValue.help}`,
];

describe("files of a configuration with labels and rules", () => {
  test.each([
    { keepOriginal: true, channels: ["0", "2", "10"], series: 8 },
    { keepOriginal: false, channels: ["0", "10"], series: 6 },
  ])("hold the series of serve: keep_original $keepOriginal", async ({ keepOriginal, channels, series }) => {
    expect(TIMES.every((at) => at >= FROM && at < TO)).toBe(true);
    const output = emptyFolder();
    const { mapper, configured: fingerprints } = await settings(keepOriginal);
    const outcome = await run({ api: server(), output, mapper }, { ...WANTED, configured: fingerprints });
    const originals = ["9", "10"].flatMap((id) => channels.flatMap((channelId) => original(id, channelId)));
    const expected = [...ORIGINALS_HEAD, ...originals, ...ANSWERS, ...LOADS, "# EOF", ""];
    expect([...filesOf(output).values()].map((text) => text.split("\n"))).toEqual([expected]);
    expect(outcome).toMatchObject({ run: { sensors: 2, series, samples: series * TIMES.length } });
  });

  test("have the extra labels after those of rules and tags", async () => {
    const output = emptyFolder();
    const { mapper } = await settings(true);
    await run({ api: server(), output, mapper }, { ...WANTED, labels: ["device=x", "job=prtg"] });
    const text = [...filesOf(output).values()].join("");
    expect(text).toMatch(/^answer_seconds\{.*,site="",number="2",device="x",job="prtg"\} /m);
    expect(text).toMatch(/^prtg_channel_value\{.*,site="berlin",device="x",job="prtg"\} /m);
  });

  test.each([
    ["host_name", "prtg_channel_value"],
    ["site", "prtg_channel_value"],
    ["number", "answer_seconds"],
  ])("reject an extra label %s before any request", async (name, family) => {
    const api = server();
    const { mapper } = await settings(true);
    await expect(run({ api, output: "/dev/null/nowhere", mapper }, { labels: [`${name}=x`] })).rejects.toMatchObject({
      code: "BACKFILL_LABEL_TAKEN",
      message: `--label ${name}: ${family} already has a label with that name`,
    });
    expect(api.asked).toEqual([]);
  });

  test("omit sensors whose channels are all dropped, without a request", async () => {
    const { mapper } = await configured("mapping: { rules: [{ match: { path: '**/Ping 9' }, drop: true }] }");
    const api = server();
    const outcome = await run({ api, output: emptyFolder(), mapper });
    expect(outcome).toMatchObject({ run: { sensors: 1, series: 4 } });
    expect(api.asked.filter((question) => question.includes('"sensorId":"9"'))).toEqual([]);
    await expect(run({ api, output: emptyFolder(), mapper }, { paths: ["**/Ping 9"] })).rejects.toMatchObject({
      code: "BACKFILL_NOTHING_SELECTED",
      message: "none of the 1 selected sensors has channels, or rules drop all of them",
    });
  });
});

describe("history of sensors with mostly dropped channels", () => {
  const DROPPING =
    "mapping: { rules: [{ match: { channel: ['channel -4', 'channel 10', 'channel 0'] }, drop: true }] }";

  test("omits dropped channels from requests and gives the same files", async () => {
    const { mapper } = await configured(DROPPING);
    const output = [emptyFolder(), emptyFolder()] as const;
    const api = server();
    const outcome = await run({ api, output: output[0], mapper }, WANTED);
    expect(outcome).toMatchObject({ run: { sensors: 2, series: 2, samples: 2 * TIMES.length } });
    expect(api.asked.filter((question) => question.startsWith("timeSeries")).toSorted()).toEqual([
      'timeSeries {"sensorId":"10","type":"short","channels":["2"]}',
      'timeSeries {"sensorId":"9","type":"short","channels":["2"]}',
    ]);
    // Lacks the parameter.
    const other = server();
    const { timeSeries } = other;
    other.timeSeries = (sensorId, type, signal) => timeSeries.call(other, sensorId, type, signal);
    await run({ api: other, output: output[1], mapper }, WANTED);
    expect(filesOf(output[0])).toEqual(filesOf(output[1]));
    expect(filesOf(output[0]).size).toBe(1);
  });
});

describe("run that continues with another configuration", () => {
  test.each([
    ["labels", SECTIONS.replace("device: host_name", "device: host_label")],
    ["mapping", SECTIONS.replace("channel -4", "channel 0")],
  ])("fails when %s changed, and continues with the old configuration", async (section, changed) => {
    const before = await settings(true);
    const output = emptyFolder();
    const controller = new AbortController();
    const api = server();
    api.asks = (id) => id === "10" && controller.abort(new Error("stopped"));
    const begin = { api, output, concurrency: 1, signal: controller.signal, mapper: before.mapper };
    expect(await run(begin, { configured: before.configured })).toMatchObject({ kind: "interrupted", done: 1 });

    const after = await configured(changed.replace("KEEP", "true"));
    const refused = run({ api: server(), output, mapper: after.mapper }, { configured: after.configured });
    await expect(refused).rejects.toMatchObject({
      code: "BACKFILL_OTHER_PARAMETERS",
      message: `${output} has an unfinished backfill with other parameters: the section ${section} of the configuration has changed`,
    });

    // Compiled again, as in another process.
    const again = await settings(true);
    const continued = run({ api: server(), output, mapper: again.mapper }, { configured: again.configured });
    expect(await continued).toMatchObject({ kind: "finished" });
    const whole = emptyFolder();
    await run({ api: server(), output: whole, mapper: before.mapper }, { configured: before.configured });
    expect(filesOf(output)).toEqual(filesOf(whole));
    expect(filesOf(output).size).toBe(11);
  });
});

describe("push of a configuration with labels and rules", () => {
  test.each([true, false])("sends the samples of the files: keep_original %s", async (keepOriginal) => {
    const { mapper } = await settings(keepOriginal);
    const output = emptyFolder();
    await run({ api: server(), output, mapper }, WANTED);
    // Empty attributes are absent, like Prometheus labels.
    const inFiles = [...filesOf(output).values()]
      .flatMap((text) => text.match(/^[a-z].*$/gm) ?? [])
      .map((line) => line.replace(',site=""', ""));

    const receiver = await startReceiver();
    const outcome = await push({ receiver, api: server(), mapper, maxPoints: 10, ...WANTED });
    const batches = receiver.requests.flatMap((request) => request.batches);
    const pushed = batches.flatMap(({ metrics }) =>
      metrics.flatMap(({ name, points }) =>
        points.map(({ attributes, time, value }) => {
          const labels = formatLabels(Object.keys(attributes), Object.values(attributes).map(String));
          return `${name.replace(".", "_")}${labels} ${value} ${Number(time) / 1e9}`;
        }),
      ),
    );
    expect(pushed.toSorted()).toEqual(inFiles.toSorted());
    expect(outcome).toMatchObject({ run: { samples: inFiles.length, push: { rejected: 0 } } });
    // Mapped values count in addition to originals.
    const sizes = receiver.requests.map(({ batches: sent }) =>
      sent.flatMap(({ metrics }) => metrics.map(({ points }) => points.length)).reduce((sum, size) => sum + size, 0),
    );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
  });
});
