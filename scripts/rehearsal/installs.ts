import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ContainerEngine } from "../../test/containers/support/container-engine.ts";
import { type BackgroundProgram, startInBackground } from "../../test/real/support/background-program.ts";
import { copyRoot, removeRoot, runInRoot } from "../../test/real/support/debian-root.ts";
import { freeAddress } from "./registries.ts";
import { type Environment, runScript } from "./shell.ts";
import { until } from "./steps.ts";

const LIMIT_MS = 120_000;
const KEY = "simulated-key";
const READY =
  /^prtg_up\{server="[^"]+"\} 1$[\s\S]*^prtg_channel_value\{|^prtg_channel_value\{[\s\S]*^prtg_up\{server="[^"]+"\} 1$/m;
/** In pages. */
const EXAMPLE_SERVER = "https://prtg.example.com:1616";

/** The simulated PRTG server that the installed exporters read. */
export interface Server {
  readonly url: string;
}

export async function expectMetrics(page: () => Promise<string>): Promise<void> {
  await until(LIMIT_MS, async () => {
    const text = await page();
    if (!READY.test(text)) throw new Error(`/metrics has no values of the simulated server:\n${text.slice(0, 2_000)}`);
  });
}

async function pageOf(url: string): Promise<string> {
  const response = await fetch(url);
  return response.text();
}

/** Starts an installed exporter, until its page has values. */
async function tryProgram(start: (args: readonly string[]) => BackgroundProgram): Promise<void> {
  const address = await freeAddress();
  const program = start(["serve", `--web.listen-address=${address}`]);
  try {
    await expectMetrics(async () => {
      program.throwIfEnded();
      return pageOf(`http://${address}/metrics`);
    });
  } catch (error) {
    throw new Error(`${String(error)}\n${program.log()}`, { cause: error });
  } finally {
    await program.stop();
  }
}

const settings = ({ url }: Server) => ({ PRTG_URL: url, PRTG_API_KEY: KEY });

/** `npx prtg-simulator`. Runs until the caller stops it. */
export async function startSimulatorByNpx(command: string, folder: string, env: Environment) {
  const address = await freeAddress();
  const script = `exec ${command} --listen-address=${address} --sensors=50`;
  const program = startInBackground("bash", ["-c", script], { cwd: folder, env, ownGroup: true });
  const url = `http://${address}`;
  try {
    await until(LIMIT_MS, async () => {
      program.throwIfEnded();
      const headers = { Authorization: `Bearer ${KEY}` };
      const response = await fetch(`${url}/api/v2/experimental/sensors?limit=3`, { headers });
      if (!response.ok) throw new Error(`${url} answers ${response.status}`);
    });
  } catch (error) {
    throw new Error(`${String(error)}\n${program.log()}`, { cause: error });
  }
  return { program, url };
}

/** `npm install --global prtg-exporter` into a folder of its own. */
export async function installByNpm(command: string, folder: string, env: Environment, server: Server): Promise<void> {
  await runScript(command, folder, env);
  const [, name = ""] = /(\S+)$/.exec(command) ?? [];
  const program = path.join(env.npm_config_prefix ?? folder, "bin", name);
  await tryProgram((args) => startInBackground(program, args, { env: { ...env, ...settings(server) } }));
}

/** `apt install ./prtg-exporter_VERSION-1_amd64.deb` in a copy of a bare Debian. */
export async function installDeb(command: string, bare: string, artefacts: string, server: Server): Promise<void> {
  const root = await copyRoot(bare);
  try {
    const { code, stdout, stderr } = await runInRoot(root, `cd /packages && ${command}`, { [artefacts]: "/packages" });
    if (code !== 0) throw new Error(`${command} ended with ${code}:\n${stdout}${stderr}`);
    const { PRTG_URL, PRTG_API_KEY } = settings(server);
    await tryProgram((args) =>
      startInBackground("chroot", [
        ...[root, "/usr/sbin/runuser", "--user=prtg-exporter", "--", "/usr/bin/env"],
        ...[`PRTG_URL=${PRTG_URL}`, `PRTG_API_KEY=${PRTG_API_KEY}`, "/usr/bin/prtg-exporter", ...args],
      ]),
    );
  } finally {
    await removeRoot(root);
  }
}

/** The archive, as the page describes it: unpack it and start bin/prtg-exporter. */
export async function unpackArchive(
  artefacts: string,
  folder: string,
  env: Environment,
  server: Server,
): Promise<void> {
  const name = readdirSync(artefacts).find((each) => each.endsWith("-linux-amd64.tar.gz")) ?? "";
  await runScript(`tar -xzf "${path.join(artefacts, name)}"`, folder, env);
  const program = path.join(folder, name.replace(/\.tar\.gz$/, ""), "bin/prtg-exporter");
  await tryProgram((args) => startInBackground(program, args, { env: settings(server) }));
}

/** `docker run ...` in an engine without images. `demo` brings its own server. */
export async function runImage(
  engine: ContainerEngine,
  command: string,
  folder: string,
  env: Environment,
): Promise<void> {
  writeFileSync(path.join(folder, "api-key"), KEY, { mode: 0o644 });
  const [image = ""] = command.match(/\S+\/prtg-exporter:\S+/) ?? [];
  const containers: string[] = [];
  const detached = async (script: string) => {
    const output = await runScript(script, folder, env);
    const id = output.trim().split("\n").at(-1) ?? "";
    containers.push(id);
    return id;
  };
  try {
    let mine = command.replace(/^docker run (?!--detach)/, "docker run --detach ");
    if (command.includes(EXAMPLE_SERVER)) {
      const id = await detached(
        `docker run --detach --init ${image} simulate --listen-address=0.0.0.0:1615 --sensors=50`,
      );
      const address = await engine.docker(["inspect", "--format={{.NetworkSettings.IPAddress}}", id]);
      mine = mine.replace(EXAMPLE_SERVER, `http://${address}:1615`);
    }
    const id = await detached(mine);
    await expectMetrics(() => engine.page("http://127.0.0.1:9705/metrics")).catch(async (error: unknown) => {
      const { stdout, stderr } = await engine.run(["logs", id]);
      throw new Error(`${String(error)}\n${stdout}${stderr}`, { cause: error });
    });
  } finally {
    for (const id of containers) await engine.run(["rm", "--force", id]);
  }
}

/** `helm install ...`, rendered without a cluster. @returns the images of its pods */
export async function renderChart(
  command: string,
  values: string,
  folder: string,
  env: Environment,
): Promise<string[]> {
  writeFileSync(path.join(folder, "my-values.yaml"), values);
  const manifests = await runScript(`${command} --dry-run=client`, folder, env);
  const images = [...manifests.matchAll(/^\s+image: "?([^"\s]+)"?$/gm)].map(([, image = ""]) => image);
  if (images.length === 0) throw new Error(`the chart has no pod:\n${manifests}`);
  return [...new Set(images)];
}
