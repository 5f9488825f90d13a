import { constants } from "node:crypto";
import { createSecureContext, getCACertificates, type SecureContextOptions, type TlsOptions } from "node:tls";
import type { ClientPolicy } from "./client-policy.ts";
import { type PemSource, parseCertificates, parsePrivateKey, readPem, SettingError } from "./pem-settings.ts";
import type { ClientAuthType, TlsSettings } from "./schema.ts";

const SECTION = "tls_server_config";
const TLS13_SUITES = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];
const VERSIONS = ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"];
/** RFC 9113, 9.2.2: some HTTP/2 clients require these suites. */
const HTTP2_SUITES = ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"];

export interface ServerTls {
  readonly options: TlsOptions & SecureContextOptions;
  readonly clients: ClientPolicy;
}

/** `undefined` without TLS. @throws SettingError */
export async function serverTls(
  settings: TlsSettings,
  http2: boolean,
  source: PemSource,
  warn: (text: string) => void,
): Promise<ServerTls | undefined> {
  if (!asksForTls(settings)) {
    if (saysHow(settings)) warn("tls_server_config has no certificate: the exporter serves plain HTTP");
    return undefined;
  }
  checkVersions(settings);
  checkSuites(settings, http2);
  const cert = await readPem("cert", settings.cert, settings.cert_file, source);
  if (cert === undefined) throw missing("cert_file", "a certificate: cert_file or cert");
  const key = await readPem("key", settings.key, settings.key_file, source);
  if (key === undefined) throw missing("key_file", "the key of the certificate: key_file or key");
  const [leaf] = parseCertificates(cert);
  if (leaf?.checkPrivateKey(parsePrivateKey(key)) !== true) {
    throw new SettingError({ path: [SECTION, key.key], text: "the key does not belong to the certificate" });
  }
  if (Date.parse(leaf.validTo) < Date.now()) warn(`the certificate expired on ${leaf.validTo}`);
  const authorities = await readPem("client_ca", settings.client_ca, settings.client_ca_file, source);
  const type = settings.client_auth_type ?? "NoClientCert";
  if (authorities !== undefined && type === "NoClientCert") {
    const text =
      "the exporter does not request client certificates: set client_auth_type too, usually RequireAndVerifyClientCert";
    throw new SettingError({ path: [SECTION, authorities.key], text });
  }
  const ca = authorities && parseCertificates(authorities).map(String);
  const clients = clientPolicy(type, settings, ca !== undefined, warn);
  const options = {
    cert: cert.content,
    key: key.content,
    ...handshakeOptions(settings),
    ...clientOptions(type, ca),
  };
  try {
    createSecureContext(options);
  } catch (error) {
    // OpenSSL names algorithms and sizes here, never the key.
    const text = `cannot be used: ${error instanceof Error ? error.message : "unknown error"}`;
    throw new SettingError({ path: [SECTION, cert.key], text });
  }
  return { options, clients };
}

function asksForTls(settings: TlsSettings): boolean {
  const { cert, cert_file, key, key_file, client_ca, client_ca_file, client_auth_type } = settings;
  return [cert, cert_file, key, key_file, client_ca, client_ca_file, client_auth_type].some(Boolean);
}

/** TLS settings without a certificate to serve are a mistake. */
function saysHow({
  min_version,
  max_version,
  cipher_suites,
  curve_preferences,
  client_allowed_sans,
}: TlsSettings): boolean {
  const lists = [cipher_suites, curve_preferences, client_allowed_sans];
  return min_version !== "TLSv1.2" || max_version !== "TLSv1.3" || lists.some((list) => list?.length);
}

function missing(key: string, what: string): SettingError {
  return new SettingError({ path: [SECTION, key], text: `missing, expected ${what}` });
}

function checkVersions({ min_version, max_version }: TlsSettings): void {
  if (VERSIONS.indexOf(min_version) <= VERSIONS.indexOf(max_version)) return;
  const text = `no TLS version between min_version (${min_version}) and max_version (${max_version})`;
  throw new SettingError({ path: [SECTION, "max_version"], text });
}

function checkSuites({ cipher_suites: suites, min_version }: TlsSettings, http2: boolean): void {
  if (!http2 || !suites?.length || min_version === "TLSv1.3") return;
  if (HTTP2_SUITES.some((name) => suites.some((suite) => suite === name))) return;
  const text =
    "HTTP/2 needs TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 or TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256. " +
    "Add one of them, or set http_server_config.http2 to false";
  throw new SettingError({ path: [SECTION, "cipher_suites"], text });
}

function handshakeOptions(settings: TlsSettings): TlsOptions & SecureContextOptions {
  const {
    min_version: minVersion,
    max_version: maxVersion,
    cipher_suites: suites,
    curve_preferences: curves,
  } = settings;
  // OpenSSL disables old versions by default.
  const isOld = minVersion === "TLSv1" || minVersion === "TLSv1.1";
  const chosen = suites?.length ? [...suites, ...TLS13_SUITES] : isOld ? ["DEFAULT", ...TLS13_SUITES] : undefined;
  const ciphers = chosen && [...new Set(chosen), ...(isOld ? ["@SECLEVEL=0"] : [])].join(":");
  return {
    minVersion,
    maxVersion,
    honorCipherOrder: settings.prefer_server_cipher_suites,
    ...(ciphers !== undefined && { ciphers }),
    ...(curves?.length && { ecdhCurve: curves.join(":") }),
  };
}

function clientOptions(type: ClientAuthType, ca: readonly string[] | undefined): TlsOptions & SecureContextOptions {
  if (type === "NoClientCert") return { requestCert: false };
  const verifies = type === "VerifyClientCertIfGiven" || type === "RequireAndVerifyClientCert";
  const trusted = ca ?? (verifies ? getCACertificates("system") : undefined);
  return {
    requestCert: true,
    // The policy checks other types after the handshake.
    rejectUnauthorized: type === "RequireAndVerifyClientCert",
    allowPartialTrustChain: true,
    // A resumed session would skip verification after the CA changes.
    secureOptions: constants.SSL_OP_NO_TICKET,
    ...(trusted !== undefined && { ca: [...trusted] }),
  };
}

function clientPolicy(
  type: ClientAuthType,
  { client_allowed_sans: allowed }: TlsSettings,
  hasAuthorities: boolean,
  warn: (text: string) => void,
): ClientPolicy {
  if (type === "NoClientCert") {
    if (allowed?.length) warn("client_allowed_sans has no effect without client_auth_type");
  } else if (type !== "RequireAndVerifyClientCert") {
    warn(
      `client_auth_type ${type} accepts clients without a trusted certificate: to refuse them, set RequireAndVerifyClientCert`,
    );
  } else if (!hasAuthorities) {
    warn("without client_ca_file, every CA that this system trusts can issue client certificates");
  }
  return { type, allowedSans: type === "NoClientCert" ? undefined : (allowed ?? undefined) };
}
