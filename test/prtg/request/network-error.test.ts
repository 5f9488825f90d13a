import { describe, expect, test } from "vitest";
import { describeError, ExporterError } from "../../../src/errors/exporter-error.ts";
import { ProxyRefused, ProxyUnusable } from "../../../src/lib/http/proxy.ts";
import { UntrustedCertificate, WrongFingerprint } from "../../../src/lib/http/tls.ts";
import { networkError } from "../../../src/prtg/request/network-error.ts";

const SEEN = "AB:CD";
const PROXY = "proxy.example.com:3128";
const DESTINATION = { endpoint: "/version", origin: "https://prtg.example.com:1616" };

function coded(code: string, cause?: unknown): Error {
  return Object.assign(new Error("odd", { cause }), { code });
}

describe("networkError", () => {
  test.each([
    [
      new WrongFingerprint(SEEN),
      "API_TLS_FINGERPRINT",
      "prtg.example.com:1616 has a different SHA-256 fingerprint: AB:CD",
    ],
    [
      new UntrustedCertificate("CERT_HAS_EXPIRED", SEEN),
      "API_TLS_UNTRUSTED",
      "is not trusted: it has expired (CERT_HAS_EXPIRED). Its SHA-256 fingerprint is AB:CD",
    ],
    [new UntrustedCertificate("ODD", SEEN), "API_TLS_UNTRUSTED", "is not trusted: ODD. Its SHA-256"],
    [
      coded("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"),
      "API_TLS_CLIENT_REFUSED",
      "requires a client certificate, or rejects",
    ],
    [coded("ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE"), "API_TLS_CLIENT_REFUSED", "(ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE)"],
    [coded("ERR_SSL_TLSV1_ALERT_UNKNOWN_CA"), "API_TLS_CLIENT_REFUSED", "(ERR_SSL_TLSV1_ALERT_UNKNOWN_CA)"],
    [coded("ERR_SSL_WRONG_VERSION_NUMBER"), "API_TLS_FAILED", "handshake with prtg.example.com:1616 failed"],
    [coded("EPROTO"), "API_TLS_FAILED", "failed (EPROTO)"],
    [coded("ECONNREFUSED"), "API_CONNECTION_FAILED", "prtg.example.com:1616: connection refused (ECONNREFUSED)"],
    [
      coded("UND_ERR_SOCKET", coded("ECONNRESET")),
      "API_CONNECTION_FAILED",
      "connection reset by the server (ECONNRESET)",
    ],
    [coded("UND_ERR_SOCKET"), "API_CONNECTION_FAILED", "connection closed before the answer was complete"],
    [new AggregateError([coded("ENOTFOUND"), coded("EPIPE")]), "API_CONNECTION_FAILED", "the name does not resolve"],
    [new Error("odd"), "API_CONNECTION_FAILED", "no usable connection to prtg.example.com:1616: odd"],
    ["odd", "API_CONNECTION_FAILED", "unknown error"],
    [new ProxyRefused(PROXY, 407), "API_PROXY_UNAUTHORIZED", "proxy_auth"],
    [
      new ProxyRefused(PROXY, 503),
      "API_PROXY_FAILED",
      `the proxy ${PROXY} refuses a connection to prtg.example.com:1616: HTTP 503`,
    ],
    [new ProxyUnusable(PROXY, coded("ECONNREFUSED")), "API_PROXY_FAILED", `to the proxy ${PROXY}: connection refused`],
    [
      new ProxyUnusable(PROXY, coded("ERR_SSL_WRONG_VERSION_NUMBER")),
      "API_PROXY_FAILED",
      "the TLS handshake failed (ERR_SSL_WRONG_VERSION_NUMBER)",
    ],
    [
      new ProxyUnusable(PROXY, new UntrustedCertificate("DEPTH_ZERO_SELF_SIGNED_CERT", SEEN)),
      "API_PROXY_FAILED",
      `the certificate of the proxy ${PROXY} is not trusted: it is self-signed. Its SHA-256 fingerprint is AB:CD`,
    ],
    [new ExporterError("SECRET_UNREADABLE", "no key"), "SECRET_UNREADABLE", "/version: no key"],
  ])("converts %o to %s", (error, code, words) => {
    const converted = networkError(DESTINATION, error);
    expect(converted).toMatchObject({ code, endpoint: "/version" });
    expect(converted.message).toMatch(/^\/version: /);
    expect(converted.message).toContain(words);
  });

  // The codes that Node.js documents for certificates.
  test.each([
    ...["UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ...["CERT_SIGNATURE_FAILURE", "CERT_NOT_YET_VALID", "CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ...["SELF_SIGNED_CERT_IN_CHAIN", "CERT_CHAIN_TOO_LONG", "CERT_REVOKED", "INVALID_CA", "PATH_LENGTH_EXCEEDED"],
    ...["INVALID_PURPOSE", "CERT_UNTRUSTED", "CERT_REJECTED", "HOSTNAME_MISMATCH", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ])("says in words what %s means", (reason) => {
    expect(networkError(DESTINATION, new UntrustedCertificate(reason, SEEN)).message).toMatch(
      new RegExp(`is not trusted: its? \\w[\\w -]+ \\(${reason}\\)\\. Its SHA-256`),
    );
  });

  test.each([
    ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"],
    ...["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_SOCKET", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "UND_ERR_HEADERS_OVERFLOW"],
  ])("says in words what %s means for a connection", (code) => {
    expect(networkError(DESTINATION, coded(code)).message).toMatch(
      new RegExp(`prtg\\.example\\.com:1616: (?:\\w+ ){2,}.*\\(${code}\\)`),
    );
  });

  test.each([
    [
      "a renewed certificate",
      new WrongFingerprint(SEEN),
      /certificate was renewed.*tls: { fingerprints: \["AB:CD"\] }/,
    ],
    ["an unknown CA", new UntrustedCertificate("CERT_UNTRUSTED", SEEN), /tls\.ca_file.*fingerprints: \["AB:CD"\]/],
    ["an expired certificate", new UntrustedCertificate("CERT_NOT_YET_VALID", SEEN), /Renew the certificate/],
    ["another name", new UntrustedCertificate("HOSTNAME_MISMATCH", SEEN), /tls\.server_name/],
    ["a missing client certificate", coded("ERR_SSL_TLSV1_ALERT_CERTIFICATE_UNKNOWN"), /tls\.cert_file/],
    // Servers with TLS 1.2 send it without a client certificate.
    ["a failed handshake", coded("ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE"), /tls\.cert_file and tls\.key_file/],
    ["an old server", coded("ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION"), /Lower tls\.min_version/],
    ["a wrong scheme", coded("ECONNRESET"), /1616 is HTTPS/],
    ["a proxy without a tunnel", new ProxyRefused(PROXY, 403), /allows CONNECT to its port/],
    ["a proxy without credentials", new ProxyRefused(PROXY, 407), /username and password_file in proxy_auth/],
    ["the CA of a proxy", new ProxyUnusable(PROXY, new UntrustedCertificate("INVALID_CA", SEEN)), /proxy_ca_file/],
  ])("has a remedy for %s", (_what, error, remedy) => {
    expect(describeError(networkError(DESTINATION, error))).toMatch(remedy);
  });

  test("names the environment variable of a server of the environment", () => {
    const destination = { ...DESTINATION, fingerprintsVariable: "PRTG_FINGERPRINTS" };
    expect(describeError(networkError(destination, new WrongFingerprint(SEEN)))).toContain("PRTG_FINGERPRINTS=AB:CD");
  });

  test("suggests no wrong scheme for a refused connection", () => {
    expect(describeError(networkError(DESTINATION, coded("ECONNREFUSED")))).not.toContain("scheme");
  });
});
