import { hostname } from "node:os";
import { type CommandContext, createContext } from "../../app/context.ts";
import { apiKeyFault } from "../../config/secrets.ts";
import { describeError, ExporterError } from "../../errors/exporter-error.ts";
import type { Redactor } from "../../errors/redactor.ts";
import { firstSteps, LOGIN } from "../check/plan.ts";
import { createServerCheck, REST, SPEED } from "../check/server-check.ts";
import { type Finding, findingsTable } from "../check/step.ts";
import { conclusion, programCommand } from "./conclusion.ts";
import { checkTargets, type Draft, loadDraft, type ServerDraft, writeDraft } from "./draft.ts";
import { type FoundApi, findApi } from "./find-port.ts";
import { type Given, givenBy, type InitFlags } from "./flags.ts";
import { LineTerminal, type Terminal } from "./terminal.ts";
import { withTrust } from "./trust.ts";

/** Resolves with the exit code. */
export async function init(flags: InitFlags, redactor: Redactor): Promise<number> {
  const context = await createContext(flags, redactor);
  const interactive = process.stdin.isTTY && flags.nonInteractive !== true;
  const terminal = interactive
    ? new LineTerminal(process.stdin, process.stderr, () => process.kill(process.pid, "SIGINT"))
    : undefined;
  try {
    return await createConfiguration(flags, givenBy(flags, process.env), terminal, context);
  } finally {
    terminal?.close();
  }
}

/** @param terminal `undefined`: ask nothing. @throws ExporterError */
export async function createConfiguration(
  { out: file, force }: Pick<InitFlags, "out" | "force">,
  given: Given,
  terminal: Terminal | undefined,
  context: CommandContext,
): Promise<number> {
  const { caFile, fingerprints } = given;
  if (terminal === undefined) refuseMissing(given);
  await checkTargets(file, given.apiKeyFile, force === true);
  const found = await askApi(given.url, terminal, context);
  const server = { file, url: found.url, webUrl: webUrlOf(found), trust: { caFile, fingerprints } };
  const draft = await askKey(await withTrust(server, terminal, context), given, terminal, context);
  if (draft === undefined) {
    context.print("Nothing was written. Correct what failed, and run init again.");
    return 1;
  }
  const written = await writeDraft(draft);
  context.print(
    conclusion({
      file,
      written,
      keyFile: given.apiKeyFile,
      program: programCommand(process.env, process.cwd()),
      host: hostname(),
      platform: process.platform,
      isRoot: process.geteuid?.() === 0,
    }),
  );
  return 0;
}

/** @throws ExporterError INIT_ANSWER_MISSING */
function refuseMissing({ url, apiKeyFile, apiKey }: Given): void {
  const missing = [
    ...(url === undefined ? ["--server.url (or PRTG_URL)"] : []),
    ...(apiKeyFile === undefined && apiKey === undefined
      ? ["--server.api-key-file (or PRTG_API_KEY_FILE or PRTG_API_KEY)"]
      : []),
  ];
  if (missing.length > 0) {
    throw new ExporterError("INIT_ANSWER_MISSING", `without a terminal, init needs ${missing.join(" and ")}`);
  }
}

async function askApi(
  given: string | undefined,
  terminal: Terminal | undefined,
  context: CommandContext,
): Promise<FoundApi> {
  for (;;) {
    const text = given ?? (await answer(terminal, "ask", "URL of the PRTG server:"));
    try {
      const found = await findApi(text, context);
      if (found.other !== undefined) context.print(`${found.other.url} is not REST API v2: ${found.other.fault}`);
      context.print(`${found.url}: REST API v2 answers`);
      return found;
    } catch (error) {
      if (given !== undefined || !(error instanceof ExporterError)) throw error;
      context.print(describeError(error));
    }
  }
}

/** Tries keys until the server accepts one. `undefined` after another failure, or if the key was not typed. */
async function askKey(
  server: ServerDraft,
  given: Given,
  terminal: Terminal | undefined,
  context: CommandContext,
): Promise<Draft | undefined> {
  const isGiven = given.apiKeyFile !== undefined || given.apiKey !== undefined;
  for (;;) {
    const draft = { ...server, apiKey: await keyOf(given, terminal, context) };
    const failed = await tryDraft(draft, context);
    if (failed.length === 0) return draft;
    if (isGiven || failed.some(({ subject }) => subject !== LOGIN)) return undefined;
  }
}

/** @throws ExporterError SECRET_UNREADABLE */
async function keyOf(
  { apiKeyFile, apiKey }: Given,
  terminal: Terminal | undefined,
  { print }: CommandContext,
): Promise<Draft["apiKey"]> {
  if (apiKeyFile !== undefined) return { file: apiKeyFile };
  for (;;) {
    const value = apiKey ?? (await answer(terminal, "askSecret", "API key (not shown):")).trim();
    const fault = apiKeyFault(value);
    if (fault === undefined) return { value };
    if (apiKey !== undefined) throw new ExporterError("SECRET_UNREADABLE", `PRTG_API_KEY ${fault}`);
    print(`The key ${fault}.`);
  }
}

/** Repeats the question until there is an answer. @throws ExporterError INIT_ANSWER_MISSING */
async function answer(terminal: Terminal | undefined, kind: "ask" | "askSecret", question: string): Promise<string> {
  if (terminal === undefined) throw new Error("no terminal: see refuseMissing");
  for (;;) {
    const text = await terminal[kind](question);
    if (text !== "") return text;
  }
}

/** The first steps of `check`. Resolves with the failures. */
async function tryDraft(draft: Draft, context: CommandContext): Promise<readonly Finding[]> {
  const { config, server, exposedSecrets } = await loadDraft(draft, context);
  for (const text of exposedSecrets) context.print(`warning: ${text}`);
  const check = createServerCheck(server, firstSteps(server), config, context, new AbortController().signal);
  const formatFinding = findingsTable([server.name], [...check.subjects, REST]);
  const failed: Finding[] = [];
  for await (const finding of check.start()) {
    if (finding.status === "FAILED") failed.push(finding);
    // Few requests say little about the speed.
    if (finding.subject !== SPEED) context.print(formatFinding(finding));
  }
  return failed;
}

/** Default: https and the host of the API. The port of the API has no classic pages to link to. */
function webUrlOf({ url, other }: FoundApi): string | undefined {
  if (other === undefined) return undefined;
  const web = new URL(other.url).origin;
  return [`https://${new URL(url).hostname}`, new URL(url).origin].includes(web) ? undefined : web;
}
