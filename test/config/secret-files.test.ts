import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readAccess } from "../../src/app/context.ts";
import { loadConfig } from "../../src/config/load.ts";
import { exposureOf } from "../../src/config/reading-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { FILE, filesWith, SECRET } from "./support.ts";

describe("permissions of a file with a secret", () => {
  test.each([
    [0o400, false, undefined],
    [0o600, false, undefined],
    [0o700, false, undefined],
    [0o600, true, undefined],
    [0o440, true, undefined],
    [0o640, true, undefined],
    [0o640, false, "is open to its group (mode 0640)"],
    [0o620, true, "is open to its group (mode 0620)"],
    [0o660, true, "is open to its group (mode 0660)"],
    [0o604, false, "is open to every user of the system (mode 0604)"],
    [0o644, true, "is open to every user of the system (mode 0644)"],
    [0o602, true, "is open to every user of the system (mode 0602)"],
    [0o100600, false, undefined],
    [0o100777, true, "is open to every user of the system (mode 0777)"],
  ])("mode %o, owned by root: %s", (mode, ofRoot, exposure) => {
    expect(exposureOf({ mode, ofRoot })).toBe(exposure);
  });

  test("come from the system, also behind links", async () => {
    const folder = temporaryFolder({ key: SECRET });
    for (const mode of [0o600, 0o644]) {
      chmodSync(join(folder, "key"), mode);
      expect((await readAccess(join(folder, "key")))?.mode).toBe(0o100000 | mode);
    }
    await expect(readAccess(join(folder, "none"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("strict_secret_files", () => {
  const files = (strict: string) => ({
    [FILE]: `servers:\n  - url: http://prtg\n    auth: { api_key_file: /key }\n${strict}`,
    "/key": SECRET,
  });
  const load = (mode: number, strict: string) =>
    loadConfig({
      file: FILE,
      env: {},
      readFile: filesWith(files(strict)),
      readAccess: async () => ({ mode, ofRoot: false }),
    });
  const STRICT = "strict_secret_files: true\n";

  test("rejects a file that others can read, with its line and without the secret", async () => {
    await expect(load(0o644, STRICT)).rejects.toMatchObject({
      problems: [
        {
          code: "SECRET_EXPOSED",
          location: "prtg.yaml:3:27",
          text: "file /key is open to every user of the system (mode 0644)",
        },
      ],
    });
    await expect(load(0o640, STRICT)).rejects.toMatchObject({ problems: [{ code: "SECRET_EXPOSED" }] });
    expect((await load(0o600, STRICT)).exposedSecrets).toEqual([]);
  });

  test("is off by default: the log warns of a file that all users can read", async () => {
    expect((await load(0o644, "")).exposedSecrets).toEqual([
      "file /key is open to every user of the system (mode 0644)",
    ]);
    expect((await load(0o640, "")).exposedSecrets).toEqual([]);
  });

  test("applies to each later read", async () => {
    let mode = 0o600;
    const { config } = await loadConfig({
      file: FILE,
      env: {},
      readFile: filesWith(files(STRICT)),
      readAccess: async () => ({ mode, ofRoot: false }),
    });
    const credentials = config.servers[0]?.credentials;
    if (credentials?.kind !== "api_key") throw new Error("no key");
    expect((await credentials.apiKey.read()).reveal()).toBe(SECRET);
    mode = 0o666;
    await expect(credentials.apiKey.read()).rejects.toMatchObject({ code: "SECRET_EXPOSED" });
  });

  test("reports a missing file as missing", async () => {
    const loading = loadConfig({
      file: FILE,
      env: {},
      readFile: filesWith({ [FILE]: files(STRICT)[FILE] ?? "" }),
      readAccess: async () => {
        throw Object.assign(new Error("stat"), { code: "ENOENT" });
      },
    });
    await expect(loading).rejects.toMatchObject({
      problems: [{ code: "SECRET_UNREADABLE", text: "file /key cannot be read: no such file" }],
    });
  });
});
