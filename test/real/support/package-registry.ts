import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { runProgram } from "./run-program.ts";

const MANIFEST = z.looseObject({ name: z.string(), version: z.string() });

/** The configured registry plus one package. Returns its URL. npm reads a shrinkwrap only if a registry announces it. */
export async function startRegistryWith(archive: string): Promise<string> {
  const { stdout: configured } = await runProgram("npm", ["config", "get", "registry"], "");
  const { stdout } = await runProgram("tar", ["-xzOf", archive, "package/package.json"], "");
  const manifest = MANIFEST.parse(JSON.parse(stdout));
  const { name, version } = manifest;
  const bytes = readFileSync(archive);
  const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  const server = createServer(({ url = "", headers: { host } }, response) => {
    if (url === `/${name}.tgz`) {
      response.end(bytes);
    } else if (url === `/${name}`) {
      const dist = { tarball: `http://${host}/${name}.tgz`, integrity };
      const versions = { [version]: { ...manifest, _hasShrinkwrap: true, dist } };
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
    } else {
      response.writeHead(302, { Location: new URL(url.slice(1), configured.trim()).href }).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/`;
}
