import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { Redactor } from "../../../src/errors/redactor.ts";
import { WebConfigSource } from "../../../src/http/web-config/source.ts";
import { ALICE, CAROL } from "./cases.ts";

const FILE = "/etc/web.yaml";
const headers = (value: string) => `http_server_config: { headers: { X-Frame-Options: ${value} } }\n`;
const users = (hash: string) => `basic_auth_users: { alice: ${hash} }\n`;
const INVALID = "basic_auth_users: { alice: plain }\n";
const OTHER = "rate_limit: { burst: many }\n";

/** One file in memory. */
async function opened(content: string) {
  const file = { content, mtimeNs: 1n, ctimeNs: 1n, size: 100n, ino: 7n };
  let reads = 0;
  const lines: string[] = [];
  const redactor = new Redactor();
  const source = await WebConfigSource.open({
    ...{ file: FILE, redactor },
    readFile: async () => {
      reads++;
      return file.content;
    },
    stat: async () => file,
    log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) }),
  });
  lines.length = 0;
  const write = (text: string) => {
    file.content = text;
    file.mtimeNs++;
  };
  return { source, file, write, redactor, lines, reads: () => reads };
}

describe("WebConfigSource", () => {
  test("does not read unchanged files again", async () => {
    const { source, reads, lines } = await opened(headers("deny"));
    const before = reads();
    expect([await source.refresh(), await source.refresh()]).toEqual([false, false]);
    expect(reads()).toBe(before);
    expect(lines).toEqual([]);
  });

  test.each(["mtimeNs", "ctimeNs", "size", "ino"] as const)("reads a file again that differs in %s", async (stamp) => {
    const { source, file, lines } = await opened(headers("deny"));
    file.content = headers("sameorigin");
    file[stamp]++;
    expect(await source.refresh()).toBe(true);
    expect(source.current.headers).toEqual([["X-Frame-Options", "sameorigin"]]);
    expect(lines).toEqual(["the web configuration was reloaded"]);
    expect(await source.refresh()).toBe(false);
  });

  test("keeps the last valid content while the file is invalid, and reports each fault once", async () => {
    const { source, write, lines } = await opened(headers("deny"));
    write(INVALID);
    // A new certificate may arrive before its key.
    expect([await source.refresh(), lines.length, source.isInForce]).toEqual([false, 0, false]);
    for (let times = 0; times < 3; times++) expect(await source.refresh()).toBe(false);
    expect(lines).toEqual(["the changed web configuration is invalid: the previous one stays in use"]);
    write(OTHER);
    await source.refresh();
    expect(lines).toHaveLength(2);
    expect(source.current.headers).toEqual([["X-Frame-Options", "deny"]]);
    write(headers("sameorigin"));
    expect([await source.refresh(), source.isInForce]).toEqual([true, true]);
  });

  test("is in force again if the old file comes back with its old time", async () => {
    const { source, file, write } = await opened(headers("deny"));
    write(INVALID);
    await source.refresh();
    Object.assign(file, { content: headers("deny"), mtimeNs: 1n });
    expect([await source.refresh(), source.isInForce]).toEqual([true, true]);
  });

  test("checks once if two checks are due at the same time", async () => {
    const { source, write } = await opened(headers("deny"));
    write(headers("sameorigin"));
    expect(await Promise.all([source.refresh(), source.refresh()])).toEqual([true, false]);
  });

  test("redacts the secrets that are in force", async () => {
    const { source, write, redactor } = await opened(users(ALICE));
    const shown = () => [ALICE, CAROL].map((hash) => redactor.redact(hash) === hash);
    expect(shown()).toEqual([false, true]);
    write(users(CAROL));
    await source.refresh();
    expect(shown()).toEqual([true, false]);
  });

  test("warns of users without TLS after each reload", async () => {
    const { source, write, lines } = await opened(headers("deny"));
    write(users(ALICE));
    await source.refresh();
    expect(lines[0]).toMatch(/^\/etc\/web\.yaml: clients send the passwords of basic_auth_users unencrypted/);
  });
});
