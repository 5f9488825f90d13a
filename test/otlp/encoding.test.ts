import { resourceFromAttributes } from "@opentelemetry/resources";
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { METRIC_ENCODINGS } from "../../src/otlp/encoding.ts";
import { CONTENT_TYPES, OTLP_PROTOCOLS } from "../../src/otlp/environment.ts";
import { gauge, metricAttributes, StalenessMarker } from "../../src/otlp/metric-data.ts";
import { runs } from "../support/runs.ts";
import { decodeMetrics } from "./support/decode-metrics.ts";

const FAMILY = TREE_FAMILIES.channelValue;

/** JSON's NaN, in places where text could contain it. */
const HOSTILE = ['"asDouble":null', ',"asDouble":null}', '\\"asDouble\\":null', '"asDouble":null"', "\\", '"'];

function request(labels: readonly (readonly string[])[], resource: Record<string, string | number>): ResourceMetrics {
  const dataPoints = labels.map((of, index) => {
    const point = { family: FAMILY, labels: of, endTime: [1_800_000_000, index] as [number, number] };
    return new StalenessMarker(point, false, () => undefined);
  });
  return {
    resource: resourceFromAttributes(resource),
    scopeMetrics: [{ scope: { name: "test", version: "1" }, metrics: [{ ...gauge(FAMILY), dataPoints }] }],
  };
}

describe.each(OTLP_PROTOCOLS)("%s", (protocol) => {
  const { encode } = METRIC_ENCODINGS[protocol];

  test("an end has the labels, the time and the flag, and no value", () => {
    const text = fc.oneof(fc.constantFrom("", "hq", ...HOSTILE), fc.string({ unit: "grapheme", maxLength: 20 }));
    const labels = fc.array(text, { minLength: FAMILY.labels.length, maxLength: FAMILY.labels.length });
    fc.assert(
      fc.property(fc.array(labels, { minLength: 1, maxLength: 5 }), text, (points, attribute) => {
        const body = Buffer.from(encode([request(points, { "service.name": attribute })]));
        const [batch] = decodeMetrics(CONTENT_TYPES[protocol], body);
        expect(batch?.resource).toEqual({ "service.name": attribute });
        expect(batch?.metrics).toMatchObject([{ name: "prtg.channel_value", type: "gauge" }]);
        expect(batch?.metrics[0]?.points).toEqual(
          points.map((of, index) => ({
            attributes: metricAttributes(FAMILY.labels, of),
            start: 0n,
            time: 1_800_000_000n * 1_000_000_000n + BigInt(index),
            ended: true,
            value: Number.NaN,
          })),
        );
      }),
      { numRuns: runs(200) },
    );
  });
});

describe.each(OTLP_PROTOCOLS)("several resources over %s", (protocol) => {
  test.each([0, 1, 2, 3])("arrive unchanged in any kind: %i", (count) => {
    const resources = Array.from({ length: count }, (_, index) => `device "${index}" ]}`);
    const given = resources.map((name, index) =>
      // Every second one needs the serializer.
      index % 2 === 0 ? request([FAMILY.labels.map(() => name)], { name }) : without(request([], { name, pid: 1 })),
    );
    const batches = decodeMetrics(CONTENT_TYPES[protocol], Buffer.from(METRIC_ENCODINGS[protocol].encode(given)));
    expect(batches.map(({ resource }) => resource.name)).toEqual(resources);
  });
});

function without(given: ResourceMetrics): ResourceMetrics {
  return { ...given, scopeMetrics: given.scopeMetrics.map(({ scope }) => ({ scope, metrics: [] })) };
}

test("an end cannot be encoded as a value", () => {
  const numbers = request([FAMILY.labels.map(() => "x")], { "process.pid": 1 });
  expect(() => METRIC_ENCODINGS["http/protobuf"].encode([numbers])).toThrow(TypeError);
});
