import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testAuditLog, testStateDirectory } from "../../src/sync/writable-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("test of state_dir", () => {
  test.each([".", "new", "new/below/another"])("leaves nothing: %s", async (path) => {
    const folder = temporaryFolder({ "sync.json": "{}" });
    await testStateDirectory(join(folder, path));
    expect(readdirSync(folder)).toEqual(["sync.json"]);
  });

  test.each(["file", "file/below"])("fails for %s", async (path) => {
    const folder = temporaryFolder({ file: "" });
    await expect(testStateDirectory(join(folder, path))).rejects.toMatchObject({ code: "SYNC_STATE_UNWRITABLE" });
    expect(readdirSync(folder)).toEqual(["file"]);
  });
});

describe("test of audit_log", () => {
  test("leaves an existing file as it is", async () => {
    const folder = temporaryFolder({ "audit.jsonl": "line\n" });
    const path = join(folder, "audit.jsonl");
    const { mtimeMs } = statSync(path);
    await testAuditLog(path, join(folder, "state"));
    expect([readFileSync(path, "utf8"), statSync(path).mtimeMs]).toEqual(["line\n", mtimeMs]);
    expect(readdirSync(folder)).toEqual(["audit.jsonl"]);
  });

  test.each(["audit.jsonl", "state/audit.jsonl"])("leaves no new file: %s", async (path) => {
    const folder = temporaryFolder({});
    await testAuditLog(join(folder, path), join(folder, "state"));
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ["a folder", "folder"],
    ["a file in a missing folder", "missing/audit.jsonl"],
    ["a file in a file", "file/audit.jsonl"],
  ])("fails for %s", async (_, path) => {
    const folder = temporaryFolder({ file: "" });
    mkdirSync(join(folder, "folder"));
    await expect(testAuditLog(join(folder, path), join(folder, "state"))).rejects.toMatchObject({
      code: "SYNC_AUDIT_UNWRITABLE",
    });
    expect(readdirSync(folder).toSorted()).toEqual(["file", "folder"]);
  });
});
