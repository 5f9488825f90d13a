import { describe, expect, test } from "vitest";
import { createRoutes } from "../../src/http/pages/routes.ts";
import { fakeServers } from "../support/fake-status-source.ts";
import { readPage } from "./support/pages.ts";

const PAGE = readPage("docs/endpoints.md").prose;
const listed = [...PAGE.matchAll(/^\| (?<cell>`[^|]*) \|/gm)].flatMap(({ groups: { cell = "" } = {} }) =>
  [...cell.matchAll(/`(?:POST )?(?<path>\/[^`?]*)/g)].map(({ groups }) => groups?.path ?? ""),
);

const OPTIONS = {
  telemetryPath: "/metrics",
  exposition: { streamedPage: async () => ({ beginning: [], end: async () => [] }) },
  served: () => undefined,
  isReady: () => true,
};
const report = async () => ({ status: 200 as const, sections: [], json: {} });

describe("docs/endpoints.md", () => {
  test("has every path of serve", () => {
    const routes = createRoutes({
      ...OPTIONS,
      status: fakeServers(1).source,
      debug: { explain: report, cardinality: report, runs: report },
      discovery: async () => ({ status: 404 as const, text: "" }),
      mcp: {
        ...{ isEnabled: () => true, externalUrl: () => undefined, version: "1.0.0" },
        ...{ called: () => undefined, failed: () => undefined },
      },
    });
    const paths = [...routes.keys()].filter((path) => !path.startsWith("/assets/"));
    expect([...new Set(listed)].toSorted()).toEqual([...paths, "/metrics/NAME", "/-/reload"].toSorted());
  });

  test("has every path of sync", () => {
    const [, line = ""] = /^(\[`prtg-exporter sync`\].*)$/m.exec(PAGE) ?? [];
    const paths = [...line.matchAll(/`(\/[^`]*)`/g)].map(([, path]) => path);
    expect(paths.toSorted()).toEqual([...createRoutes(OPTIONS).keys()].toSorted());
  });
});
