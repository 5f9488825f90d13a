import { ERROR_CATALOGUE, type ErrorCode } from "../../errors/catalogue.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import { isNotHttp } from "../../lib/http/connection-pool.ts";
import { ProxyRefused, ProxyUnusable } from "../../lib/http/proxy.ts";
import { UntrustedCertificate, WrongFingerprint } from "../../lib/http/tls.ts";
import { MAX_INFORMATIONAL } from "../answer-bounds.ts";
import { ApiError } from "../api-error.ts";

export interface Destination {
  readonly endpoint: string;
  /** `https://prtg.example.com:1616` */
  readonly origin: string;
  readonly fingerprintsVariable?: string | undefined;
  /** Key of the configuration with the URL, for remedies. Default: `servers[].url`. */
  readonly urlKey?: string;
}

/** By OpenSSL error code. */
const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "it is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its CA is not trusted",
  UNABLE_TO_GET_ISSUER_CERT: "its CA is unknown",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its CA is unknown",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its CA is unknown",
  CERT_HAS_EXPIRED: "it has expired",
  CERT_NOT_YET_VALID: "it is not valid yet",
  CERT_REVOKED: "it is revoked",
  CERT_UNTRUSTED: "its CA is not trusted for this use",
  CERT_REJECTED: "its CA rejects this use",
  CERT_SIGNATURE_FAILURE: "its signature is wrong",
  CERT_CHAIN_TOO_LONG: "its chain is too long",
  INVALID_CA: "its issuer is not a CA",
  INVALID_PURPOSE: "it is not a server certificate",
  PATH_LENGTH_EXCEEDED: "its chain is too long",
  HOSTNAME_MISMATCH: "it is for another name",
  ERR_TLS_CERT_ALTNAME_INVALID: "it is for another name",
};

const RENEW_CERTIFICATE = "Renew the certificate of the server, or correct the clock of this machine.";
const OTHER_NAMES: readonly string[] = ["HOSTNAME_MISMATCH", "ERR_TLS_CERT_ALTNAME_INVALID"];

function certificateRemedy(reason: string, urlKey = "servers[].url"): string {
  if (OTHER_NAMES.includes(reason)) {
    return `Use the name in the certificate in ${urlKey}, or give it in tls.server_name.`;
  }
  const isOutOfDate = reason === "CERT_HAS_EXPIRED" || reason === "CERT_NOT_YET_VALID";
  return isOutOfDate ? RENEW_CERTIFICATE : ERROR_CATALOGUE.API_TLS_UNTRUSTED.remedy;
}

const CONNECTION_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset by the server",
  EPIPE: "connection closed by the server",
  ENOTFOUND: "the name does not resolve",
  EAI_AGAIN: "name resolution failed temporarily",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  ETIMEDOUT: "the connection attempt timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection attempt timed out",
  UND_ERR_SOCKET: "connection closed before the answer was complete",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "connection closed before the answer was complete",
  UND_ERR_HEADERS_OVERFLOW: "the headers of the answer are too large",
};

const SCHEME_REMEDY =
  "Check that the scheme of the URL matches the port (1616 is HTTPS, 1615 is HTTP) and that the PRTG application server runs.";

/** The server refuses or misses a client certificate. */
const CLIENT_REFUSED =
  /^ERR_SSL_.*ALERT_(CERTIFICATE_(REQUIRED|EXPIRED|REVOKED|UNKNOWN)|(BAD|UNSUPPORTED)_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)$/;
const VERSION_REFUSED = /^ERR_SSL_.*(PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW)$/;
/** With TLS 1.2 the server may miss a client certificate. */
const HANDSHAKE_REMEDIES: ReadonlyMap<string, string> = new Map(
  ["SSL/TLS_ALERT", "SSLV3_ALERT"].map((family) => [
    `ERR_SSL_${family}_HANDSHAKE_FAILURE`,
    "If the server asks for a client certificate, set tls.cert_file and tls.key_file. Otherwise it shares no cipher with Node.js.",
  ]),
);
const VERSION_REMEDY = "Lower tls.min_version, or enable a newer TLS version on the server.";

/** Too many 1xx answers. */
export class TooManyInterimAnswers extends Error {
  constructor() {
    super(`more than ${MAX_INFORMATIONAL} interim answers (1xx) to one request`);
  }
}

/** Converts errors of undici, sockets and TLS. */
export function networkError(destination: Destination, error: unknown): ApiError {
  const { endpoint, origin } = destination;
  const host = new URL(origin).host;
  const code = codeOf(error);
  const fail = (kind: ErrorCode, what: string, remedy?: string): ApiError =>
    new ApiError(kind, `${endpoint}: ${what}`, { endpoint, ...(remedy !== undefined && { remedy }) });

  if (error instanceof ExporterError) return fail(error.code, error.message, error.remedy);
  if (error instanceof ProxyRefused) {
    return error.isUnauthorized
      ? fail("API_PROXY_UNAUTHORIZED", error.message)
      : fail("API_PROXY_FAILED", `the proxy ${error.proxy} refuses a connection to ${host}: HTTP ${error.status}`);
  }
  if (error instanceof ProxyUnusable) return proxyError(error, endpoint);
  if (error instanceof WrongFingerprint) {
    const remedy = `${ERROR_CATALOGUE.API_TLS_FINGERPRINT.remedy} The setting is: ${pinning(error.seen, destination)}`;
    return fail(
      "API_TLS_FINGERPRINT",
      `the certificate of ${host} has a different SHA-256 fingerprint: ${error.seen}`,
      remedy,
    );
  }
  if (error instanceof UntrustedCertificate) {
    const { reason, seen } = error;
    const fault = CERTIFICATE_FAULTS[reason];
    const why = `${fault === undefined ? reason : `${fault} (${reason})`}. Its SHA-256 fingerprint is ${seen}`;
    const remedy = certificateRemedy(reason, destination.urlKey);
    return fail(
      "API_TLS_UNTRUSTED",
      `the certificate of ${host} is not trusted: ${why}`,
      `${remedy} Or, if this is the fingerprint of the server, trust only this certificate: ${pinning(seen, destination)}`,
    );
  }
  if (CLIENT_REFUSED.test(code)) {
    return fail("API_TLS_CLIENT_REFUSED", `${host} requires a client certificate, or rejects it (${code})`);
  }
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_") || code === "EPROTO") {
    const remedy = VERSION_REFUSED.test(code) ? VERSION_REMEDY : HANDSHAKE_REMEDIES.get(code);
    return fail("API_TLS_FAILED", `the TLS handshake with ${host} failed (${code})`, remedy);
  }
  if (isNotHttp(error)) {
    return fail("API_CONNECTION_FAILED", `the answer of ${host} is not HTTP`, SCHEME_REMEDY);
  }
  // An HTTPS port silently drops plain HTTP.
  const remedy = code === "UND_ERR_SOCKET" || code === "ECONNRESET" ? SCHEME_REMEDY : undefined;
  return fail("API_CONNECTION_FAILED", `no usable connection to ${host}: ${faultOf(error)}`, remedy);
}

function faultOf(error: unknown): string {
  const code = codeOf(error);
  if (isNotHttp(error)) return "its answer is not HTTP";
  if (code.startsWith("ERR_SSL_")) return `the TLS handshake failed (${code})`;
  const fault = CONNECTION_FAULTS[code];
  return fault === undefined ? messageOf(error) : `${fault} (${code})`;
}

function proxyError({ proxy, cause }: ProxyUnusable, endpoint: string): ApiError {
  if (cause instanceof UntrustedCertificate) {
    const fault = CERTIFICATE_FAULTS[cause.reason] ?? cause.reason;
    const text = `the certificate of the proxy ${proxy} is not trusted: ${fault}. Its SHA-256 fingerprint is ${cause.seen}`;
    const remedy = "Set proxy_ca_file to the CA of the proxy, or to its certificate.";
    return new ApiError("API_PROXY_FAILED", `${endpoint}: ${text}`, { endpoint, remedy });
  }
  const text = `no usable connection to the proxy ${proxy}: ${faultOf(cause)}`;
  return new ApiError("API_PROXY_FAILED", `${endpoint}: ${text}`, { endpoint });
}

function pinning(fingerprint: string, { fingerprintsVariable }: Destination): string {
  return fingerprintsVariable === undefined
    ? `tls: { fingerprints: ["${fingerprint}"] }`
    : `${fingerprintsVariable}=${fingerprint}`;
}

/** The code of the cause, or of the first of several attempts. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return code === "" || code === "UND_ERR_SOCKET" ? codeOf(inner) || code : code;
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== "" ? error.message : "unknown error";
}
