import { type Config, loadConfig } from "../../src/config/load.ts";
import { readTextFile } from "../../src/lib/bounded-files.ts";
import { CREDENTIALS } from "./simulated-server.ts";

const FILE = "test.yaml";

/** `${KEY}`: API key of `simulateServer`. Other files come from disk. */
export async function loadTestConfig(yaml: string, key: string = CREDENTIALS.apiKey): Promise<Config> {
  const readFile = async (path: string) => (path === FILE ? yaml : readTextFile(path));
  return (await loadConfig({ file: FILE, env: { KEY: key }, readFile })).config;
}
