import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Child } from "./child.ts";

const ATTEMPTS = 5;
const START_LIMIT_MS = 10_000;
/** Below the ephemeral ports. */
const FIRST_PORT = 20_000;
const PORTS = 10_000;

export interface Nginx {
  readonly url: string;
  stop(): Promise<void>;
}

/** The lower bound for scraping these bytes. */
export async function startNginx(binary: string, folder: string): Promise<Nginx> {
  let log = "";
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // nginx cannot choose a free port.
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    const file = path.join(folder, "nginx.conf");
    await writeFile(file, configuration(folder, port));
    const child = new Child(binary, ["-p", folder, "-e", "stderr", "-c", file]);
    const url = `http://127.0.0.1:${port}`;
    if (await answers(child, `${url}/nginx.conf`)) return { url, stop: () => child.stop() };
    await child.stop();
    log += child.text;
  }
  throw new Error(`nginx does not answer:\n${log}`);
}

function configuration(folder: string, port: number): string {
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `
${
  // Workers of a root nginx could not read the folder.
  process.getuid?.() === 0 ? "user root;" : ""
}
daemon off;
worker_processes 1;
error_log stderr;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  gzip_static on;
  default_type text/plain;
  ${kinds.map((kind) => `${kind}_temp_path ${folder}/temp;`).join("\n  ")}
  server { listen 127.0.0.1:${port}; root ${folder}; }
}
`;
}

/** Another program may own the port. */
async function answers(child: Child, url: string): Promise<boolean> {
  for (const end = performance.now() + START_LIMIT_MS; performance.now() < end && !child.ended; await sleep(50)) {
    const response = await fetch(url).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return true;
  }
  return false;
}
