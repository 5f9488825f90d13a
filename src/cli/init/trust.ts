import type { X509Certificate } from "node:crypto";
import type { CommandContext } from "../../app/context.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import { withDeadline } from "../../lib/deadline.ts";
import { peerCertificate } from "../../lib/http/tls.ts";
import { shortLine } from "../../lib/printable-text.ts";
import { ApiError } from "../../prtg/api-error.ts";
import type { ServerDraft } from "./draft.ts";
import { askHealth } from "./find-port.ts";
import type { Terminal } from "./terminal.ts";

const TIMEOUT_MS = 10_000;
/** A certificate may have kilobytes of names. */
const MAX_NAME = 100;
const MAX_NAMES = 300;

/**
 * Shows the certificate. If it is not trusted, offers to trust this one by its fingerprint.
 * @throws ExporterError API_TLS_UNTRUSTED, API_TLS_FINGERPRINT, API_CONNECTION_FAILED, API_TIMEOUT
 */
export async function withTrust(
  draft: ServerDraft,
  terminal: Terminal | undefined,
  context: CommandContext,
): Promise<ServerDraft> {
  const { url } = draft;
  if (!url.startsWith("https:")) {
    context.print(`warning: ${url} has no TLS. Anyone on the network path can read the API key.`);
    return draft;
  }
  const { clock } = context;
  const expired = () => new ExporterError("API_TIMEOUT", `${url}: no certificate within ${TIMEOUT_MS / 1_000} s`);
  const certificate = await withDeadline({ clock, ms: TIMEOUT_MS, parents: [], expired }, (signal) =>
    peerCertificate(url, signal),
  ).catch((error) => {
    if (error instanceof ExporterError) throw error;
    throw new ExporterError("API_CONNECTION_FAILED", `${url}: no certificate`, { cause: error });
  });
  context.print(describeCertificate(certificate));
  const described = { ...draft, certificate: summaryOf(certificate) };
  try {
    await askHealth(described, context);
    return described;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "API_TLS_UNTRUSTED") throw error;
    const { fingerprint256 } = certificate;
    if (terminal === undefined) throw untrusted(error, fingerprint256);
    // The fingerprint is already on the screen.
    context.print(error.message.replace(/^\S+ |\. Its SHA-256.*$/g, ""));
    context.print("Compare the fingerprint with the certificate on the core server.");
    if (!(await terminal.confirm("Trust this certificate?"))) throw untrusted(error, fingerprint256);
    return { ...described, trust: { fingerprints: [fingerprint256] } };
  }
}

function untrusted(error: ApiError, fingerprint: string): ExporterError {
  return new ExporterError("API_TLS_UNTRUSTED", error.message, {
    remedy: `If it is the fingerprint of your server, add --server.fingerprint ${fingerprint}. If a CA issued the certificate, give the CA in --server.ca-file.`,
  });
}

/** `undefined` without a name, although the types of Node.js say otherwise. */
type Name = string | undefined;

/** A server may write anything into its certificate. */
function describeCertificate(certificate: X509Certificate): string {
  const { subjectAltName = "", fingerprint256 } = certificate;
  const [subject, issuer]: readonly Name[] = [certificate.subject, certificate.issuer];
  const [begin, end] = datesOf(certificate);
  return [
    "Certificate of the server:",
    `  subject              ${nameOf(subject)}`,
    `  issuer               ${subject === issuer ? "itself (self-signed)" : nameOf(issuer)}`,
    `  valid                from ${begin} to ${end}`,
    ...(subjectAltName === "" ? [] : [`  names                ${shortLine(subjectAltName, MAX_NAMES)}`]),
    `  SHA-256 fingerprint  ${fingerprint256}`,
  ].join("\n");
}

function summaryOf(certificate: X509Certificate): string {
  const { subject, subjectAltName }: { readonly subject: Name; readonly subjectAltName: Name } = certificate;
  return `Certificate: ${nameOf(subject ?? subjectAltName)}, valid until ${datesOf(certificate)[1]}`;
}

/** Node.js writes each part into a line. Certificates of public authorities for a few days have no subject. */
function nameOf(name: Name): string {
  return name === undefined ? "none" : shortLine(name.replaceAll("\n", ", "), MAX_NAME);
}

function datesOf({ validFromDate, validToDate }: X509Certificate): [begin: string, end: string] {
  const day = (date: Date): string => date.toISOString().slice(0, 10);
  return [day(validFromDate), day(validToDate)];
}
