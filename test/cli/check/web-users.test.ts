import { describe, expect, it } from "vitest";
import { webUserLines } from "../../../src/cli/check/web-users.ts";

const SERVERS = ["acme", "acme-branch", "globex"].map((name) => ({ name }));

function configWith(users: Readonly<Record<string, readonly string[]>>, mcp = false) {
  const entries = Object.entries(users).map(([name, servers]) => [name, { servers }] as const);
  return { servers: SERVERS, web: { externalUrl: undefined, links: [], mcp, users: new Map(entries) } };
}

describe("lines about web users", () => {
  it("names the servers of a restricted user and what is missing", () => {
    const config = configWith({ alice: ["acme", "gone", "acme"] });
    expect(webUserLines(config, ["alice"])).toEqual([
      "web user alice: status page, search, charts, changes and metrics of acme, gone (not configured here: gone)",
    ]);
  });

  it("names the MCP tools if they are enabled", () => {
    expect(webUserLines(configWith({ alice: ["acme"] }, true), ["alice"])).toEqual([
      "web user alice: status page, search, charts, changes, MCP tools and metrics of acme",
    ]);
  });

  it("says that a user without an entry sees everything", () => {
    expect(webUserLines(configWith({ alice: ["acme"] }), ["alice", "carol"])[1]).toBe(
      "web user carol: every page of all 3 servers, and of the exporter itself",
    );
  });

  it("shortens a long list", () => {
    const many = Array.from({ length: 12 }, (_, index) => `s${index}`);
    const [line] = webUserLines({ ...configWith({ alice: many }), servers: many.map((name) => ({ name })) }, ["alice"]);
    expect(line).toMatch(/metrics of s0, .*, s9 and 2 more$/);
  });

  it("is silent if no user is restricted", () => {
    expect(webUserLines(configWith({}), ["carol"])).toEqual([]);
    expect(webUserLines(configWith({ alice: ["acme"] }), undefined)).toEqual([]);
  });
});
