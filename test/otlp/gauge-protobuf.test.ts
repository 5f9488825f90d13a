import type { HrTime } from "@opentelemetry/api";
import { ProtobufMetricsSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { MetricData, ResourceMetrics } from "@opentelemetry/sdk-metrics";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { gaugesAsProtobuf } from "../../src/otlp/gauge-protobuf.ts";
import { counter, gauge, SeriesPoint } from "../../src/otlp/metric-data.ts";
import { runs } from "../support/runs.ts";

/** Few, so that points share them: all UTF-8 lengths, and broken text. */
const LABELS = [
  "",
  "hq",
  "40",
  "Zürich",
  "日本",
  "😀",
  "\ud800",
  "a\udc00b",
  "\u0000\n",
  "x".repeat(127),
  "é".repeat(64),
];
const LONG = "path/".repeat(5_000);

const TIME: HrTime = [1_800_000_000, 0];
const PLAIN = { startTime: TIME, endTime: TIME, attributes: {}, value: 1 };

const labels = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...LABELS) },
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 300 }) },
  { weight: 1, arbitrary: fc.constant(LONG) },
);
const times: fc.Arbitrary<HrTime> = fc.tuple(fc.nat(4_294_967_295), fc.nat(999_999_999));
const families = fc.record({
  name: fc.stringMatching(/^[a-z]{1,8}(_[a-z]{1,8}){0,3}$/),
  help: fc.string({ unit: "grapheme" }),
  // `__` is reserved, and the SDK loses `__proto__`.
  labels: fc.uniqueArray(fc.stringMatching(/^_?[a-z][a-z_]{0,19}$/), { maxLength: 8 }),
});

const gauges = families.chain((made) => {
  const family: MetricFamily = { ...TREE_FAMILIES.channelValue, ...made };
  const values = fc.array(labels, { minLength: family.labels.length, maxLength: family.labels.length });
  const points = fc.array(fc.tuple(values, fc.double(), times), { maxLength: 30 });
  return points.map((each) => ({
    ...gauge(family),
    dataPoints: each.map(([of, value, time]) => new SeriesPoint(family, of, value, time)),
  }));
});

function request(metrics: MetricData[], attributes: Record<string, string> = {}, version = "1.2.3"): ResourceMetrics {
  return {
    resource: resourceFromAttributes(attributes),
    scopeMetrics: [{ scope: { name: "test", version }, metrics }],
  };
}

/** Compares bytes and describes differences. */
function expectTheirs(given: ResourceMetrics): void {
  const ours = Buffer.from(gaugesAsProtobuf([given]) ?? []);
  const theirs = Buffer.from(ProtobufMetricsSerializer.serializeRequest(given) ?? []);
  if (!ours.equals(theirs)) expect(ours.toString("latin1")).toBe(theirs.toString("latin1"));
}

test("the encoder gives the same bytes for gauges as the serializer of the SDK", () => {
  const resources = fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: "grapheme" }));
  const requests = fc.tuple(fc.array(gauges, { maxLength: 4 }), resources, fc.constantFrom("", "1.2.3"));
  fc.assert(
    fc.property(requests, (given) => expectTheirs(request(...given))),
    { numRuns: runs(300) },
  );
});

test("several resources come in order with schemas of resources and scopes", () => {
  const schemas = fc.constantFrom(undefined, "https://opentelemetry.io/schemas/1.45.0");
  const batches = fc
    .tuple(fc.array(gauges, { maxLength: 3 }), fc.constantFrom("a", "b"), schemas, schemas)
    .map(([metrics, device, ofResource, ofScope]): ResourceMetrics => {
      const options = ofResource === undefined ? {} : { schemaUrl: ofResource };
      const scope = { name: "test", version: "1", ...(ofScope !== undefined && { schemaUrl: ofScope }) };
      return { resource: resourceFromAttributes({ device }, options), scopeMetrics: [{ scope, metrics }] };
    });
  fc.assert(
    fc.property(fc.array(batches, { maxLength: 4 }), (given) => {
      const theirs = given.map((each) => ProtobufMetricsSerializer.serializeRequest(each) ?? new Uint8Array());
      expect(Buffer.from(gaugesAsProtobuf(given) ?? []).equals(Buffer.concat(theirs))).toBe(true);
    }),
    { numRuns: runs(300) },
  );
});

test("points much longer than the first one fit", () => {
  const family = TREE_FAMILIES.channelValue;
  const metric = gauge(family);
  for (let index = 0; index < 50; index++) {
    const of = family.labels.map((label) => (index === 0 ? "a" : `${label} ${index} `.repeat(index * 20)));
    metric.dataPoints.push(new SeriesPoint(family, of, index, TIME));
  }
  const given = request([metric]);
  expect(ProtobufMetricsSerializer.serializeRequest(given)?.length).toBeGreaterThan(1 << 20);
  expectTheirs(given);
});

test("points of one metric with other label names stay separate", () => {
  const family = TREE_FAMILIES.serverInfo;
  const renamed = { ...family, labels: family.labels.map((label) => `my_${label}`) };
  const metric = gauge(family);
  for (const each of [family, renamed, family]) metric.dataPoints.push(new SeriesPoint(each, ["hq", "26.1"], 1, TIME));
  expectTheirs(request([metric]));
});

test.each<[string, ResourceMetrics]>([
  ["a counter", request([{ ...counter(TREE_FAMILIES.channelValue), dataPoints: [PLAIN] }])],
  ["a point that is not of a series", request([{ ...gauge(TREE_FAMILIES.channelValue), dataPoints: [PLAIN] }])],
  ["a resource with numbers", { ...request([]), resource: resourceFromAttributes({ "process.pid": 1 }) }],
  ["no scope", { ...request([]), scopeMetrics: [] }],
  ["two scopes", { ...request([]), scopeMetrics: [...request([]).scopeMetrics, ...request([]).scopeMetrics] }],
])("a request with %s uses the serializer of the SDK", (_, given) => {
  expect(gaugesAsProtobuf([given])).toBeUndefined();
});
