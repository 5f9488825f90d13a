import { truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { maxOverdue, readTextFile } from "../../src/lib/bounded-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("readTextFile", () => {
  test.each(["", "text", "ä".repeat(100_000)])("reads a file of any size (%#)", async (content) => {
    const folder = temporaryFolder({ file: content });
    expect(await readTextFile(join(folder, "file"))).toBe(content);
  });

  test("reads a file without a known size", async () => {
    expect(await readTextFile("/proc/self/status")).toContain("Name:");
  });

  test("refuses a file that is too large, with known and unknown size", async () => {
    const file = join(temporaryFolder({ file: "" }), "file");
    const tooLarge = (bytes: string) => ({ code: "EFBIG", message: `it is larger than ${bytes} bytes` });
    truncateSync(file, 1_001);
    await expect(readTextFile(file, { maxBytes: 1_000 })).rejects.toMatchObject(tooLarge("1,000"));
    await expect(readTextFile("/dev/zero", { maxBytes: 1_000_000 })).rejects.toMatchObject(tooLarge("1,000,000"));
    truncateSync(file, 1_000);
    expect(await readTextFile(file, { maxBytes: 1_000 })).toHaveLength(1_000);
  });

  test("refuses other encodings with their place, except in the exporter's own files", async () => {
    const file = join(temporaryFolder({ file: Buffer.from("one\ntwo \xe9", "latin1") }), "file");
    await expect(readTextFile(file)).rejects.toMatchObject({ code: "EILSEQ", place: { line: 2, column: 5 } });
    expect(await readTextFile(file, { allowsOtherEncodings: true })).toBe("one\ntwo \ufffd");
  });

  test("rejects with the error of the system for a folder and a missing file", async () => {
    const folder = temporaryFolder({});
    await expect(readTextFile(folder)).rejects.toMatchObject({ code: "EISDIR" });
    await expect(readTextFile(join(folder, "missing"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("maxOverdue", () => {
  test.each([
    [undefined, 2],
    ["64", 16],
    ["7", 2],
    ["1", 2],
    ["many", 2],
  ])("UV_THREADPOOL_SIZE %s: %i", (threads, expected) => {
    expect(maxOverdue(threads)).toBe(expected);
  });
});
