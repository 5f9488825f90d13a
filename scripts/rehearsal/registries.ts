import { writeFileSync } from "node:fs";
import path from "node:path";
import bcrypt from "bcryptjs";
import { z } from "zod";
import { type BackgroundProgram, startInBackground } from "../../test/real/support/background-program.ts";
import { freePort } from "../../test/support/free-port.ts";
import { run } from "../package/build.ts";
import type { Programs } from "./programs.ts";

export const USER = "rehearsal";
export const PASSWORD = "password-of-the-rehearsal";
const START_LIMIT_MS = 60_000;

export interface Registry {
  readonly program: BackgroundProgram;
  /** `127.0.0.1:5000` */
  readonly address: string;
}

export interface RegistryOptions {
  /** What was pushed. Empty or missing: an empty registry. */
  readonly folder: string;
  readonly address: string;
  /** Like a private registry, which asks for a login. Otherwise everyone can pull. */
  readonly login: boolean;
  /** Command that runs another one in the network of an engine. */
  readonly inside?: readonly string[];
}

/** Debian's docker-registry, which holds images and charts. */
export async function startContainerRegistry(
  { "docker-registry": binary }: Programs,
  { folder, address, login, inside = [] }: RegistryOptions,
): Promise<Registry> {
  const passwords = `${folder}.htpasswd`;
  writeFileSync(passwords, `${USER}:${bcrypt.hashSync(PASSWORD, 4)}\n`);
  const configuration = `${folder}.yaml`;
  const auth = login ? { auth: { htpasswd: { realm: "rehearsal", path: passwords } } } : {};
  const storage = { filesystem: { rootdirectory: folder }, cache: { blobdescriptor: "inmemory" } };
  writeFileSync(configuration, JSON.stringify({ version: 0.1, storage, http: { addr: address }, ...auth }));
  const [command = binary, ...args] = [...inside, binary, "serve", configuration];
  const program = startInBackground(command, args);
  await program.waitForLog(/listening on /, START_LIMIT_MS);
  return { program, address };
}

export async function freeAddress(): Promise<string> {
  return `127.0.0.1:${await freePort()}`;
}

export interface NpmRegistry extends Registry {
  readonly url: string;
  /** `.npmrc` with the token of a user who may publish. */
  readonly userConfig: string;
}

/** Verdaccio. Other packages than ours come from the usual registry. */
export async function startNpmRegistry(
  { verdaccio, "node-24.21.0": node }: Programs,
  folder: string,
): Promise<NpmRegistry> {
  const address = await freeAddress();
  const url = `http://${address}/`;
  const upstream = run("npm", ["config", "get", "registry"], folder).trim();
  const anyone = { access: "$all" };
  const configuration = {
    storage: path.join(folder, "storage"),
    auth: { htpasswd: { file: path.join(folder, "htpasswd") } },
    uplinks: { upstream: { url: upstream, maxage: "1h", timeout: "60s" } },
    packages: {
      "prtg-*": { ...anyone, publish: "$authenticated" },
      "**": { ...anyone, proxy: "upstream" },
    },
    max_body_size: "200mb",
    log: { type: "stdout", format: "pretty", level: "http" },
  };
  const file = path.join(folder, "config.yaml");
  writeFileSync(file, JSON.stringify(configuration));
  const program = startInBackground(node, [verdaccio, `--config=${file}`, `--listen=${address}`], { cwd: folder });
  await program.waitForLog(/http address/, START_LIMIT_MS);
  const userConfig = path.join(folder, "npmrc");
  writeFileSync(userConfig, `//${address}/:_authToken=${await createUser(url)}\n`, { mode: 0o600 });
  return { program, address, url, userConfig };
}

async function createUser(url: string): Promise<string> {
  const response = await fetch(`${url}-/user/org.couchdb.user:${USER}`, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name: USER, password: PASSWORD }),
  });
  return z.object({ token: z.string() }).parse(await response.json()).token;
}
