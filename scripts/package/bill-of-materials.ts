import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Build } from "./build.ts";
import { sha256Of } from "./digest.ts";
import type { Runtime } from "./node-runtime.ts";
import { uuidOf } from "./uuid.ts";

const bom = z.looseObject({
  serialNumber: z.string(),
  metadata: z.looseObject({ timestamp: z.string(), component: z.looseObject({ "bom-ref": z.string() }) }),
  components: z.array(z.looseObject({ "bom-ref": z.string() })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
});

/** Reproducible CycloneDX of one artefact. @param npmBom output of `npm sbom` */
export function billOfMaterials(
  npmBom: string,
  { time }: Pick<Build, "time">,
  artefact: string,
  runtime?: Runtime,
): string {
  const found = bom.parse(JSON.parse(npmBom));
  const bytes = readFileSync(artefact);
  const { component } = found.metadata;
  const root = component["bom-ref"];
  const node = runtime === undefined ? [] : [nodeComponent(runtime)];
  const refs = node.map((entry) => entry["bom-ref"]);
  const dependencies = found.dependencies.map((entry) =>
    entry.ref === root ? { ...entry, dependsOn: [...(entry.dependsOn ?? []), ...refs] } : entry,
  );
  const whole = {
    ...found,
    serialNumber: `urn:uuid:${uuidOf(bytes)}`,
    metadata: {
      ...found.metadata,
      timestamp: time.toISOString(),
      component: { ...component, hashes: [{ alg: "SHA-256", content: sha256Of(bytes) }] },
    },
    components: [...found.components, ...node],
    dependencies: [...dependencies, ...refs.map((ref) => ({ ref, dependsOn: [] }))],
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

function nodeComponent({ version, packageName, integrity }: Runtime) {
  const purl = `pkg:npm/${packageName}@${version}`;
  const content = Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
  return {
    "bom-ref": purl,
    type: "application",
    name: "node",
    version,
    description: "Node.js, with V8, OpenSSL and all else that is linked into it",
    licenses: [{ license: { id: "MIT" } }],
    // For vulnerability scanners.
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:-:*:*:*`,
    purl,
    hashes: [{ alg: "SHA-512", content }],
  };
}
