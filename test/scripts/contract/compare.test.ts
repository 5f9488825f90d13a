import { describe, expect, it } from "vitest";
import { changesBetween, violations } from "../../../scripts/contract/compare.ts";
import type { Contract, Promised } from "../../../scripts/contract/contract.ts";

const STABLE = { stability: "STABLE" } as const;

const RELEASED: Contract = {
  version: "1.0.0",
  metrics: {
    prtg_up: { ...STABLE, type: "gauge", labels: ["server"] },
    prtg_trial: { stability: "EXPERIMENTAL", type: "gauge", labels: ["server"] },
  },
  configuration: {
    "otlp.endpoint": { ...STABLE, type: "URL", default: null },
    mode: { ...STABLE, type: "`a` or `b`" },
  },
  commands: { serve: STABLE, "serve --once": { ...STABLE, flags: "--once", default: null } },
  endpoints: { "/metrics": STABLE },
  errors: { API_TIMEOUT: STABLE },
  events: { "prtg.status.new": STABLE },
  chart: { replicaCount: { ...STABLE, default: 1 } },
  state: { watermarks: { ...STABLE, version: 1 } },
};

type SectionName = Exclude<keyof Contract, "version">;

/** The release after it, with one entry removed or replaced. */
function next(section: SectionName, name: string, entry: Promised | undefined, version = "1.1.0"): Contract {
  const { [name]: _, ...others } = RELEASED[section];
  return { ...RELEASED, version, [section]: entry === undefined ? others : { ...others, [name]: entry } };
}

/** The release before it, with one deprecated name. */
function deprecating(section: SectionName, name: string): Contract {
  const deprecated = { ...STABLE, ...RELEASED[section][name], deprecated: "1.0.0: use another" };
  return { ...RELEASED, [section]: { ...RELEASED[section], [name]: deprecated } };
}

const BREAKS: readonly [string, SectionName, string, Promised | undefined][] = [
  ["a metric without its label", "metrics", "prtg_up", { ...STABLE, type: "gauge", labels: [] }],
  ["a metric of another type", "metrics", "prtg_up", { ...STABLE, type: "counter", labels: ["server"] }],
  [
    "a metric that became experimental",
    "metrics",
    "prtg_up",
    { ...RELEASED.metrics.prtg_up, stability: "EXPERIMENTAL" },
  ],
  ["a missing metric", "metrics", "prtg_up", undefined],
  ["a missing key", "configuration", "otlp.endpoint", undefined],
  ["another default", "configuration", "otlp.endpoint", { ...STABLE, type: "URL", default: "http://localhost" }],
  ["a value that is no longer allowed", "configuration", "mode", { ...STABLE, type: "`a`" }],
  ["a missing flag", "commands", "serve --once", undefined],
  ["a missing endpoint", "endpoints", "/metrics", undefined],
  ["a missing error code", "errors", "API_TIMEOUT", undefined],
  ["a missing attribute of events", "events", "prtg.status.new", undefined],
  ["a missing chart value", "chart", "replicaCount", undefined],
  ["another version of a state file", "state", "watermarks", { ...STABLE, version: 2 }],
];

describe("violations", () => {
  it.each(BREAKS)("refuses %s in a minor version", (_title, section, name, entry) => {
    const found = violations(RELEASED, next(section, name, entry), `**Breaking:** ${name}`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(
      new RegExp(`^${section}: ${RegExp.escape(name)} was (removed|changed).*raise the major version`),
    );
  });

  it.each(BREAKS)("allows %s in a major version whose notes name it", (_title, section, name, entry) => {
    const before = entry === undefined ? deprecating(section, name) : RELEASED;
    const after = next(section, name, entry, "2.0.0");
    expect(violations(before, after, `**Breaking:** \`${name}\` is different.`)).toEqual([]);
    expect(violations(before, after, "**Breaking:** something.")).toEqual([
      expect.stringMatching(/CHANGELOG.md does not name it/),
    ]);
  });

  it.each([
    ["metrics", "prtg_up"],
    ["configuration", "otlp.endpoint"],
    ["commands", "serve --once"],
  ] as const)("refuses to remove a name in %s that no release before deprecated: %s", (section, name) => {
    expect(violations(RELEASED, next(section, name, undefined, "2.0.0"), `\`${name}\` is gone.`)).toEqual([
      `${section}: ${name} was removed. Deprecate it in a release before: docs/stability.md.`,
    ]);
  });

  it("allows a deprecation in a minor version, if the notes name it", () => {
    const after = { ...deprecating("configuration", "otlp.endpoint"), version: "1.1.0" };
    expect(violations(RELEASED, after, "`otlp.endpoint` is deprecated.")).toEqual([]);
    expect(violations(RELEASED, after, "")).toEqual([expect.stringContaining("otlp.endpoint was deprecated")]);
  });

  it("says what differs", () => {
    const after = next("metrics", "prtg_up", { ...STABLE, type: "gauge", labels: ["server", "shard"] });
    expect(violations(RELEASED, after, "")).toEqual([
      'metrics: prtg_up was changed (labels from ["server"] to ["server","shard"]). It is STABLE: raise the major version, or keep it.',
    ]);
  });

  it.each([
    ["its name", "New key `otlp.timeout`.", 0],
    ["the map above it", "The section `otlp` has more keys.", 0],
    ["the start of its name", "New keys `otlp.time*`.", 0],
    ["another name that begins alike", "New key `otlp.timeouts`, and `otlp_timeout`.", 1],
    ["nothing", "", 1],
  ])("needs a note for an addition: %s", (_title, notes, count) => {
    const after = next("configuration", "otlp.timeout", { ...STABLE, type: "duration", default: "10s" });
    expect(violations(RELEASED, after, notes)).toHaveLength(count);
  });

  it.each([
    ["removes something experimental", next("metrics", "prtg_trial", undefined)],
    ["allows one more value", next("configuration", "mode", { ...STABLE, type: "`a` or `b` or `c`" })],
    ["is the same", { ...RELEASED, version: "1.0.1" }],
  ])("allows a release that %s", (_title, after) => {
    expect(violations(RELEASED, after, "")).toEqual([]);
  });

  it("allows breaks before version 1, if the notes name them", () => {
    const before = { ...RELEASED, version: "0.1.0" };
    const after = next("errors", "API_TIMEOUT", undefined, "0.2.0");
    expect(violations(before, after, "`API_TIMEOUT` is gone")).toEqual([]);
    expect(violations(before, after, "")).toHaveLength(1);
  });
});

describe("changesBetween", () => {
  it("finds a section that only one side has", () => {
    const { state: _, ...others } = RELEASED;
    expect(changesBetween(RELEASED, others as Contract).map(({ kind, name }) => [kind, name])).toEqual([
      ["removed", "watermarks"],
    ]);
  });
});
