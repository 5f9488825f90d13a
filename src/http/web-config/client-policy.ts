import { isIP, SocketAddress } from "node:net";
import type { TLSSocket } from "node:tls";
import { unquoted } from "../../lib/parsed-json.ts";
import type { ClientAuthType } from "./schema.ts";

export interface ClientPolicy {
  readonly type: ClientAuthType;
  /** `undefined`: any name. */
  readonly allowedSans: readonly string[] | undefined;
}

/** `undefined`: the client may stay. */
export function clientFault(policy: ClientPolicy, socket: TLSSocket): string | undefined {
  const { type, allowedSans } = policy;
  if (type === "NoClientCert") return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) {
    const isNeeded = type === "RequireAnyClientCert" || type === "RequireAndVerifyClientCert";
    return isNeeded || allowedSans !== undefined ? "no client certificate" : undefined;
  }
  const verifies = type === "VerifyClientCertIfGiven" || type === "RequireAndVerifyClientCert";
  if (verifies && !socket.authorized) return `client certificate not trusted: ${socket.authorizationError}`;
  if (allowedSans === undefined) return undefined;
  const names = subjectAlternativeNames(certificate.subjectAltName ?? "");
  const allowed = new Set(allowedSans.map(comparable));
  return names.some((name) => allowed.has(name)) ? undefined : "client certificate without an allowed name";
}

/** `DNS:a, IP Address:10.0.0.1, URI:"x, y"`: special characters are quoted as in JSON. */
const ENTRY = /\s*([^:,"]*):("(?:[^"\\]|\\.)*"|[^,"]*)(?:,|$)/gy;
const KINDS: ReadonlySet<string | undefined> = new Set(["DNS", "IP Address", "URI", "email"]);

/** Parses Node's text. Ignores everything after an ambiguous entry. */
export function subjectAlternativeNames(text: string): string[] {
  const names: string[] = [];
  for (const [, kind, value = ""] of text.matchAll(ENTRY)) {
    const name = value.startsWith('"') ? unquoted(value) : value;
    if (name !== undefined && KINDS.has(kind)) names.push(comparable(name));
  }
  return names;
}

/** Normalizes IP addresses. */
function comparable(name: string): string {
  if (isIP(name) !== 6) return name;
  return new SocketAddress({ address: name, family: "ipv6" }).address;
}
