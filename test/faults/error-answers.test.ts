import { afterAll, describe, test, vi } from "vitest";
import { KINDS, MatrixSite } from "./support/fault-matrix.ts";
import { somewhere } from "./support/sample.ts";

/** Simulated hours take seconds, over a minute on a busy machine. */
vi.setConfig({ testTimeout: 180_000 });

const kinds = KINDS.filter(({ text }) => /^(error|execution-timeout|missing|redirect)/.test(text));
const site = new MatrixSite({ probes: 1, groups: 8, devices: 10, sensors: 12, channels: 30 });
afterAll(() => site.close());

describe("error answers at any endpoint", () => {
  test.each(kinds)("$name", (kind) => site.disturb(somewhere(kind)));
});
