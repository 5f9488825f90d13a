import type { Command } from "commander";
import type { LogFlags } from "../../app/context.ts";
import type { Environment } from "../../config/environment.ts";

export interface InitFlags extends LogFlags {
  readonly "server.url"?: string;
  readonly "server.apiKeyFile"?: string;
  readonly "server.caFile"?: string;
  readonly "server.fingerprint"?: string;
  readonly out: string;
  readonly force?: true;
  readonly nonInteractive?: true;
}

export function addInitFlags(command: Command): Command {
  return command
    .option("--server.url <url>", "URL of the PRTG server, of its web interface or of API v2 (default: PRTG_URL)")
    .option(
      "--server.api-key-file <path>",
      "file with the API key; the configuration refers to it (default: PRTG_API_KEY_FILE)",
    )
    .option("--server.ca-file <path>", "trusted CA or certificate of the server, PEM (default: PRTG_CA_FILE)")
    .option("--server.fingerprint <sha256>", "trusted certificate of the server (default: PRTG_FINGERPRINTS)")
    .option("--out <path>", "configuration to write", "prtg-exporter.yaml")
    .option("--force", "replace existing files")
    .option("--non-interactive", "ask nothing, as without a terminal")
    .addHelpText("after", HELP);
}

const HELP = `
Asks for missing values, finds the port of API v2, shows the certificate,
tries the key, and writes the configuration. A key that you type, or that
PRTG_API_KEY contains, goes to the file api-key beside the configuration.
Both files have mode 600.`;

/** Values of flags and variables. */
export interface Given {
  readonly url: string | undefined;
  /** The configuration refers to it. */
  readonly apiKeyFile: string | undefined;
  readonly apiKey: string | undefined;
  readonly caFile: string | undefined;
  readonly fingerprints: readonly string[] | undefined;
}

/** A flag comes before its variable. An empty variable is unset. */
export function givenBy(flags: InitFlags, env: Environment): Given {
  const variable = (name: string) => env[name] || undefined;
  const apiKeyFile = flags["server.apiKeyFile"] ?? variable("PRTG_API_KEY_FILE");
  const fingerprints = flags["server.fingerprint"] ?? variable("PRTG_FINGERPRINTS");
  return {
    url: flags["server.url"] ?? variable("PRTG_URL"),
    apiKeyFile,
    apiKey: apiKeyFile === undefined ? variable("PRTG_API_KEY") : undefined,
    caFile: flags["server.caFile"] ?? variable("PRTG_CA_FILE"),
    fingerprints: fingerprints?.split(",").map((each) => each.trim()),
  };
}
