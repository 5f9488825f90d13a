import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("the unit of the packages prevents core dumps, which contain keys", () => {
  const unit = readFileSync(new URL("../../deploy/packages/linux/prtg-exporter.service", import.meta.url), "utf8");
  expect(unit).toMatch(/^LimitCORE=0$/m);
});

test("the service and the image store compiled code in a writable folder", () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  expect(read("deploy/packages/linux/prtg-exporter.service")).toMatch(
    /^CacheDirectory=prtg-exporter\nCacheDirectoryMode=0700\nEnvironment=NODE_COMPILE_CACHE=\/var\/cache\/prtg-exporter$/m,
  );
  const image = read("Dockerfile");
  expect(image).toContain(" NODE_COMPILE_CACHE=/var/cache/prtg-exporter ");
  expect(image).toContain("--chown=65532:65532 /build/cache /var/cache/prtg-exporter\n");
});
