import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const unit = (name: string) => read(`deploy/packages/linux/${name}.service`);

describe.each(["prtg-exporter", "prtg-exporter-sync"])("unit %s of the packages", (name) => {
  it("prevents core dumps, which contain keys", () => {
    expect(unit(name)).toMatch(/^LimitCORE=0$/m);
  });

  it("stores compiled code in a writable folder", () => {
    expect(unit(name)).toContain(
      `\nCacheDirectory=${name}\nCacheDirectoryMode=0700\nEnvironment=NODE_COMPILE_CACHE=/var/cache/${name}\n`,
    );
  });

  it("has its own folder for state, and its own flags", () => {
    expect(unit(name)).toContain(`\nStateDirectory=${name}\nStateDirectoryMode=0700\n`);
    expect(unit(name)).toContain(`\nEnvironmentFile=-/etc/default/${name}\n`);
    expect(read(`deploy/packages/linux/${name}.default`)).toMatch(/^ARGS=""$/m);
  });
});

describe("unit prtg-exporter-sync", () => {
  it("has the sandbox of prtg-exporter", () => {
    const sandbox = (name: string) => unit(name).replace(/^.*?(?=^# Without MemoryDenyWriteExecute)/ms, "");
    expect(sandbox("prtg-exporter-sync")).toBe(sandbox("prtg-exporter"));
  });

  it("keeps its keys from the user of prtg-exporter", () => {
    expect(unit("prtg-exporter-sync")).toMatch(/^DynamicUser=true\nSupplementaryGroups=prtg-exporter$/m);
    const credentials = [...unit("prtg-exporter-sync").matchAll(/^LoadCredential=(.*)$/gm)].map(([, id]) => id);
    expect(credentials).toEqual(["prtg-api-key", "prtg-acknowledge-key", "alertmanager-token"]);
    for (const id of credentials.slice(1)) expect(unit("prtg-exporter")).not.toContain(id);
  });
});

test("the image stores compiled code in a writable folder", () => {
  const image = read("Dockerfile");
  expect(image).toContain(" NODE_COMPILE_CACHE=/var/cache/prtg-exporter ");
  expect(image).toContain("--chown=65532:65532 /build/cache /var/cache/prtg-exporter\n");
});
