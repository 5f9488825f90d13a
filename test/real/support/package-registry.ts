import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { listenOnLoopback } from "../../support/loopback.ts";
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
  const { port, close } = await listenOnLoopback(server);
  onTestFinished(close);
  return `http://127.0.0.1:${port}/`;
}
