import { chmodSync, constants, lstatSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createPrivateDirectory, ensurePrivateFile, openNewFile, openToWrite } from "../../src/lib/durable-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function modeOf(path: string): number {
  return lstatSync(path).mode & 0o777;
}

/** A folder with a secret file and a link to it. */
function linked() {
  const folder = temporaryFolder({ target: "keep" });
  const paths = { target: join(folder, "target"), link: join(folder, "link") };
  symlinkSync(paths.target, paths.link);
  return paths;
}

test("a private directory has private parents", async () => {
  const folder = temporaryFolder({});
  await createPrivateDirectory(join(folder, "above", "state"));
  expect([modeOf(join(folder, "above")), modeOf(join(folder, "above", "state"))]).toEqual([0o700, 0o700]);
});

describe("openNewFile", () => {
  test("creates a private file", async () => {
    const path = join(temporaryFolder({}), "new");
    await (await openNewFile(path)).close();
    expect(modeOf(path)).toBe(0o600);
  });

  test("replaces an old file and a link, but not what the link leads to", async () => {
    const { target, link } = linked();
    const file = await openNewFile(link);
    await file.writeFile("new");
    await file.close();
    expect(lstatSync(link).isSymbolicLink()).toBe(false);
    expect([readFileSync(link, "utf8"), readFileSync(target, "utf8")]).toEqual(["new", "keep"]);
  });

  test("rejects with the reason if it cannot remove what is there", async () => {
    const path = join(temporaryFolder({}), "folder");
    mkdirSync(path);
    await expect(openNewFile(path)).rejects.toMatchObject({ syscall: "unlink" });
  });
});

describe("openToWrite", () => {
  test("does not follow a link", async () => {
    const { target, link } = linked();
    await expect(openToWrite(link, constants.O_WRONLY | constants.O_CREAT)).rejects.toMatchObject({ code: "ELOOP" });
    const file = await openToWrite(target, constants.O_WRONLY | constants.O_APPEND);
    await file.writeFile(" it");
    await file.close();
    expect(readFileSync(target, "utf8")).toBe("keep it");
  });
});

describe("ensurePrivateFile", () => {
  test("creates a private file once and keeps its content", () => {
    const folder = temporaryFolder({ old: "text" });
    ensurePrivateFile(join(folder, "new"));
    ensurePrivateFile(join(folder, "new"));
    ensurePrivateFile(join(folder, "old"));
    expect([modeOf(join(folder, "new")), modeOf(join(folder, "old"))]).toEqual([0o600, 0o600]);
    expect(readFileSync(join(folder, "old"), "utf8")).toBe("text");
  });

  test("keeps the rights of a file that is private already", () => {
    const path = join(temporaryFolder({ old: "" }), "old");
    chmodSync(path, 0o400);
    ensurePrivateFile(path);
    expect(modeOf(path)).toBe(0o400);
  });

  test("fails with the error of the system if it cannot create the file", () => {
    const path = join(temporaryFolder({}), "missing", "new");
    expect(() => ensurePrivateFile(path)).toThrow(expect.objectContaining({ code: "ENOENT", syscall: "open" }));
  });

  test("refuses a link", () => {
    const { link } = linked();
    expect(() => ensurePrivateFile(link)).toThrow("is not a regular file");
  });
});
