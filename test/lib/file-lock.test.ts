import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tryFileLock } from "../../src/lib/durable-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("tryFileLock", () => {
  test("takes a lock once until its release", () => {
    const path = join(temporaryFolder({}), "claims.lock");
    const first = tryFileLock(path);
    expect(first).toBeDefined();
    expect(tryFileLock(path)).toBeUndefined();
    first?.release();
    const second = tryFileLock(path);
    expect(second).toBeDefined();
    second?.release();
  });

  test("leaves an empty private file behind", () => {
    const folder = temporaryFolder({});
    const path = join(folder, "claims.lock");
    tryFileLock(path)?.release();
    expect(readFileSync(path, "utf8")).toBe("");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(existsSync(`${path}-journal`)).toBe(false);
  });

  test("fails for a file that cannot hold a lock, which is not the same as a taken lock", () => {
    const folder = temporaryFolder({ "text.lock": "no lock\n".repeat(1_000) });
    mkdirSync(join(folder, "folder.lock"));
    expect(() => tryFileLock(join(folder, "text.lock"))).toThrow("file is not a database");
    expect(() => tryFileLock(join(folder, "folder.lock"))).toThrow("folder.lock is not a regular file");
    expect(() => tryFileLock(join(folder, "missing", "a.lock"))).toThrow("ENOENT");
  });
});
