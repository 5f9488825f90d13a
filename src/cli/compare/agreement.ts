import type { CommandContext } from "../../app/context.ts";
import type { Config } from "../../config/load.ts";
import type { ServerConfig } from "../../config/resolve.ts";
import { describeFault, ExporterError } from "../../errors/exporter-error.ts";
import type { Finding } from "../check/findings.ts";
import { type Comparison, compareServer } from "./compare.ts";
import { AGREEMENT, type CompareFlags, randomSeed } from "./flags.ts";
import { differenceTable, type ServerComparison, summaryText, writeSummary } from "./output.ts";
import { seededRandom } from "./sample.ts";

export interface CheckedServers {
  readonly config: Config;
  /** Servers with failures are skipped. */
  readonly findings: readonly Finding[];
  readonly context: CommandContext;
  readonly signal: AbortSignal;
}

/**
 * Compares the metrics of random objects with their own endpoints and prints the differences.
 * @param count Objects of each server.
 * @returns a finding for each server
 */
export async function compareServers(
  count: number,
  { "compare.seed": seedFlag, "compare.output": output }: CompareFlags,
  { config, findings, context, signal }: CheckedServers,
): Promise<readonly Finding[]> {
  const seed = seedFlag ?? randomSeed(context.random);
  const found: Finding[] = [];
  const compared: ServerComparison[] = [];
  const hasFailed = ({ name }: ServerConfig) =>
    findings.some(({ server, status }) => server === name && status === "FAILED");
  for (const server of config.servers) {
    const base = { server: server.name, subject: AGREEMENT };
    if (hasFailed(server)) {
      found.push({ ...base, status: "skipped", text: "not compared after the failure" });
      continue;
    }
    const onStart = ({ chosen, known }: Comparison) => {
      const seconds = Math.ceil(chosen / server.limits.requestsPerSecond);
      context.print(
        `${server.name}: comparing ${chosen} of ${known} channels and sensors, at least ${seconds} s (--compare.seed ${seed})`,
      );
    };
    const options = { config, count, random: seededRandom(seed), onStart };
    try {
      const comparison = await compareServer(server, options, context, signal);
      compared.push({ server: server.name, comparison });
      found.push({ ...base, ...findingOf(comparison) });
    } catch (error) {
      if (signal.aborted) return found;
      const remedy = error instanceof ExporterError ? { remedy: error.remedy } : {};
      found.push({ ...base, status: "FAILED", text: describeFault(error), ...remedy });
    }
  }
  const table = differenceTable(compared);
  if (table !== "") context.print(`\n${table}`);
  if (output !== undefined) {
    await writeSummary(output, { version: context.build.version, seed, servers: compared }, context.redactor);
    context.print(`${output}: the summary, with ids and values but without names`);
  }
  return found;
}

function findingOf(comparison: Comparison): Pick<Finding, "status" | "text" | "remedy"> {
  const text = summaryText(comparison);
  if (comparison.differing.length > 0) {
    const remedy = "Report the table with the version of the server. This is a bug of the exporter or of the server.";
    return { status: "FAILED", text, remedy };
  }
  if (comparison.notRead > 0 || comparison.agreed === 0) {
    return { status: "warning", text, remedy: "Run it again. It proves only the objects that agree." };
  }
  return { status: "ok", text };
}
