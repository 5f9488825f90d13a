import { expect, test } from "vitest";
import { PROBES } from "../../../src/cli/report/probes.ts";
import { NODE_KINDS } from "../../../src/model/tree.ts";
import {
  AUTODISCOVERY_LIST,
  channelLists,
  LOOKUP_LIST,
  nodeLists,
  PREFERRED_ENDPOINTS,
} from "../../../src/prtg/endpoints.ts";

test("a report covers every endpoint of the exporter, and each question once", () => {
  const lists = [
    ...NODE_KINDS.flatMap((kind) => nodeLists(kind, {})),
    ...channelLists({}),
    ...[LOOKUP_LIST, AUTODISCOVERY_LIST],
  ];
  const asked = new Set(PROBES.map(({ endpoint }) => endpoint));
  const read = [...lists.map(({ endpoint }) => endpoint), ...PREFERRED_ENDPOINTS];
  expect(read.length).toBeGreaterThan(20);
  expect(read.filter((endpoint) => !asked.has(endpoint))).toEqual([]);
  expect(new Set(PROBES.map(({ endpoint, query }) => `${endpoint}?${query}`)).size).toBe(PROBES.length);
});
