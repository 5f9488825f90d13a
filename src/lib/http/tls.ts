import type { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { isIP, type LookupFunction } from "node:net";
import {
  type ConnectionOptions,
  checkServerIdentity,
  connect,
  createSecureContext,
  getCACertificates,
  TLSSocket,
} from "node:tls";
import type { buildConnector } from "undici";

/** Settings for `net.connect`, `tls.connect` and undici. */
export interface ConnectSettings {
  /** For opening a connection, handshake included, milliseconds. */
  readonly timeout: number;
  readonly autoSelectFamilyAttemptTimeout: number;
  readonly lookup: LookupFunction;
}

export interface TlsMaterial {
  /** Replace the authorities of Node.js and the system. Authorities, or the server's own certificate. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** How client and server trust each other. */
export interface TlsClientOptions {
  readonly ca?: string | undefined;
  readonly insecureSkipVerify?: boolean;
  /** Name to expect in the certificate if it differs from the host of the URL. */
  readonly serverName?: string | undefined;
  /** SHA-256 of accepted certificates, lower-case hexadecimal. Replace the other checks, unless there is `ca`. */
  readonly fingerprints?: readonly string[] | undefined;
  /** Environment variable that sets them, for the advice in errors. */
  readonly fingerprintsVariable?: string | undefined;
  readonly minVersion?: "TLSv1.2" | "TLSv1.3" | undefined;
  /** Called for each connection, so that changed files take effect. */
  readonly read?: (() => Promise<TlsMaterial>) | undefined;
}

type TlsConnectOptions = Pick<
  ConnectionOptions,
  "secureContext" | "rejectUnauthorized" | "checkServerIdentity" | "servername"
>;

/** The certificate of the server is not one of the expected ones. */
export class WrongFingerprint extends Error {
  override readonly name = "WrongFingerprint";
  readonly seen: string;

  constructor(seen: string) {
    super(`the certificate has a different SHA-256 fingerprint: ${seen}`);
    this.seen = seen;
  }
}

/** The certificate of the server has no trusted authority, or another name, or is out of date. */
export class UntrustedCertificate extends Error {
  override readonly name = "UntrustedCertificate";
  /** Code of OpenSSL or Node.js. Not named `code`, because undici handles some codes itself. */
  readonly reason: string;
  readonly seen: string;

  constructor(reason: string, seen: string) {
    super(`the certificate is not trusted (${reason}). Its SHA-256 fingerprint is ${seen}`);
    this.reason = reason;
    this.seen = seen;
  }
}

/** Reads the certificates for each connection. */
export function tlsConnector(tls: TlsClientOptions, settings: ConnectSettings): buildConnector.connector {
  const given: TlsMaterial = { ca: tls.ca, cert: undefined, key: undefined };
  const read = tls.read ?? (() => Promise.resolve(given));
  let known: { readonly text: string; readonly connect: buildConnector.connector } | undefined;
  return (target, callback) => {
    read()
      .then(async (material) => {
        const text = JSON.stringify(material);
        if (known?.text !== text) {
          // Cached per content: parsing a hundred certificates blocks the event loop.
          const options = { ...settings, ...connectOptions(tls, material), allowH2: false };
          const undici = await import("undici");
          // No session cache: a resumed session shows no certificate, so it could not be checked.
          known = { text, connect: undici.buildConnector({ ...options, maxCachedSessions: 0 }) };
        }
        return { connect: known.connect, verifies: verifies(tls, material) };
      })
      .then(
        ({ connect, verifies }) =>
          connect(target, (...result) => {
            const [error, socket] = result;
            const refusal = error === null ? refusalOf(socket, tls.fingerprints, verifies) : undefined;
            if (refusal === undefined) return callback(...result);
            socket?.destroy();
            callback(refusal, null);
          }),
        (error: Error) => callback(error, null),
      );
  };
}

/** Options of `tls.connect`. Without `ca` it trusts the authorities of Node.js and the system. */
function connectOptions(tls: TlsClientOptions, { ca, cert, key }: TlsMaterial): TlsConnectOptions {
  const authorities =
    ca ?? (verifies(tls, { ca }) ? [...getCACertificates("default"), ...getCACertificates("system")] : []);
  const name = tls.serverName;
  return {
    secureContext: createSecureContext({
      ca: authorities,
      // Lets users trust the server's own certificate even if an authority issued it.
      allowPartialTrustChain: ca !== undefined,
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(tls.minVersion !== undefined && { minVersion: tls.minVersion }),
    }),
    // `refusalOf` refuses instead: an error of Node.js would not include the certificate.
    rejectUnauthorized: false,
    ...(name !== undefined && {
      checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
      // RFC 6066: SNI carries names, never addresses.
      ...(isIP(name) === 0 && { servername: name }),
    }),
  };
}

/** Whether to check authority, name and dates. */
function verifies(tls: TlsClientOptions, { ca }: Pick<TlsMaterial, "ca">): boolean {
  const isPinned = tls.fingerprints !== undefined && ca === undefined;
  return tls.insecureSkipVerify !== true && !isPinned;
}

/** Why the server is not trusted. Called before undici gets the connection, so nothing has been sent. */
function refusalOf(socket: unknown, expected: readonly string[] | undefined, verifies: boolean): Error | undefined {
  const tls = socket instanceof TLSSocket ? socket : undefined;
  const seen = tls?.getPeerX509Certificate()?.fingerprint256;
  if (verifies && tls?.authorized !== true) {
    return new UntrustedCertificate(String(tls?.authorizationError ?? "no certificate"), seen ?? "none");
  }
  if (expected === undefined) return undefined;
  if (seen !== undefined && expected.includes(seen.replaceAll(":", "").toLowerCase())) return undefined;
  return new WrongFingerprint(seen ?? "none");
}

/**
 * The certificate of an HTTPS server, without a check and without a request.
 * @throws the socket's error, or the reason of the signal
 */
export async function peerCertificate(url: string, signal: AbortSignal): Promise<X509Certificate> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, ...servername });
  try {
    await once(socket, "secureConnect", { signal });
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) throw new Error("the server has no certificate");
    return certificate;
  } finally {
    socket.destroy();
  }
}
