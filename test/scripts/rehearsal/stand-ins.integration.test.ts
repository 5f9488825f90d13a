import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { STAND_INS } from "../../../scripts/rehearsal/shell.ts";

const run = promisify(execFile);
let folder: string;
let notes: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "stand-ins-"));
  notes = path.join(folder, "notes");
  onTestFinished(() => rm(folder, { recursive: true }));
});

const standIn = (name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run(path.join(STAND_INS, name), args, { cwd: folder, env: { ...process.env, REHEARSAL_NOTES: notes, ...env } });

describe("stand-in of npm", () => {
  const env = { REHEARSAL_NPM: "/bin/echo", REHEARSAL_NPM_REGISTRY: "http://local/", REHEARSAL_NPM_CONFIG: "/npmrc" };

  test("publishes to the local registry and notes the provenance", async () => {
    const { stdout } = await standIn("npm", ["publish", "./a.tgz", "--provenance", "--access", "public"], env);
    expect(stdout).toBe("publish ./a.tgz --access public --registry=http://local/ --userconfig=/npmrc\n");
    expect(await readFile(notes, "utf8")).toMatch(/^npm publish --provenance/);
  });

  test("leaves other commands alone", async () => {
    expect((await standIn("npm", ["run", "package"], env)).stdout).toBe("run package\n");
  });
});

describe("stand-in of gh", () => {
  const create = (file: string) =>
    standIn("gh", ["release", "create", "v1.0.0", "--verify-tag", "--generate-notes", file]);

  test("needs the tag and the files", async () => {
    const git = (...args: string[]) =>
      run("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: folder });
    await git("init", "--quiet");
    await git("commit", "--quiet", "--allow-empty", "--message=one");
    await writeFile(path.join(folder, "a.deb"), "a");
    await expect(create("a.deb")).rejects.toMatchObject({ code: 1 });
    await git("tag", "v1.0.0");
    await expect(create("b.deb")).rejects.toThrow(/no file b\.deb/);
    await create("a.deb");
    expect(await readFile(notes, "utf8")).toContain("its 1 files");
  });
});

test("the stand-in of cosign refuses a tag instead of a digest", async () => {
  await expect(standIn("cosign", ["sign", "--yes", "127.0.0.1:1/a/b:1.0.0"])).rejects.toThrow(/unknown: cosign/);
});

test("the stand-in of helm speaks to a registry without TLS", async () => {
  const env = { REHEARSAL_HELM: "/bin/echo" };
  expect((await standIn("helm", ["push", "a.tgz", "oci://a"], env)).stdout).toBe("push a.tgz oci://a --plain-http\n");
  expect((await standIn("helm", ["package", "a"], env)).stdout).toBe("package a\n");
});
