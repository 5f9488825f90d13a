import { isIP, type LookupFunction } from "node:net";
import {
  type ConnectionOptions,
  checkServerIdentity,
  createSecureContext,
  getCACertificates,
  TLSSocket,
} from "node:tls";
import type { buildConnector } from "undici";

/** How connections are opened: for `net.connect`, `tls.connect` and undici. */
export interface ConnectSettings {
  /** Until a connection is there, handshake included, milliseconds. */
  readonly timeout: number;
  readonly autoSelectFamilyAttemptTimeout: number;
  readonly lookup: LookupFunction;
}

/** PEM. */
export interface TlsMaterial {
  /** Certificates to trust instead of those of Node.js and the system; the server's own certificate may be among them. */
  readonly ca: string | undefined;
  /** Our own certificate with its chain, and its key. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** How the client trusts a server over TLS, and is trusted by it. */
export interface TlsClientOptions {
  /** See `TlsMaterial`; used where there is no `read`. */
  readonly ca?: string | undefined;
  /** Accept any certificate. */
  readonly insecureSkipVerify?: boolean;
  /** Name to expect in the certificate, where it differs from the host of the URL. */
  readonly serverName?: string | undefined;
  /**
   * SHA-256 of certificates, hexadecimal in lower case, of which the server has to show one. Without `ca` that takes the
   * place of authorities, names and dates; with it both have to hold.
   */
  readonly fingerprints?: readonly string[] | undefined;
  /** Variable of the environment that stands for them, where the environment describes the server; for what errors advise. */
  readonly fingerprintsVariable?: string | undefined;
  readonly minVersion?: "TLSv1.2" | "TLSv1.3" | undefined;
  /** Called at each connection, so that files that changed are seen without a restart. */
  readonly read?: (() => Promise<TlsMaterial>) | undefined;
}

type TlsConnectOptions = Pick<
  ConnectionOptions,
  "secureContext" | "rejectUnauthorized" | "checkServerIdentity" | "servername"
>;

/** The server showed a certificate that is none of the expected ones. */
export class WrongFingerprint extends Error {
  override readonly name = "WrongFingerprint";
  /** As OpenSSL writes it. */
  readonly seen: string;

  constructor(seen: string) {
    super(`the certificate has another SHA-256 fingerprint: ${seen}`);
    this.seen = seen;
  }
}

/** No authority vouches for the certificate that the server showed, or it is of another name or time. */
export class UntrustedCertificate extends Error {
  override readonly name = "UntrustedCertificate";
  /** OpenSSL's name of the fault, or that of Node.js. No `code`: undici acts on some of those. */
  readonly reason: string;
  /** SHA-256, as OpenSSL writes it. */
  readonly seen: string;

  constructor(reason: string, seen: string) {
    super(`the certificate is not trusted (${reason}); its SHA-256 fingerprint is ${seen}`);
    this.reason = reason;
    this.seen = seen;
  }
}

/** Opens connections over TLS, each with what the files hold at that time. */
export function tlsConnector(tls: TlsClientOptions, settings: ConnectSettings): buildConnector.connector {
  const given: TlsMaterial = { ca: tls.ca, cert: undefined, key: undefined };
  const read = tls.read ?? (() => Promise.resolve(given));
  let known: { readonly text: string; readonly connect: buildConnector.connector } | undefined;
  return (target, callback) => {
    read()
      .then(async (material) => {
        const text = JSON.stringify(material);
        if (known?.text !== text) {
          // Built once: parsing some hundred certificates at each connection would block the event loop.
          const options = { ...settings, ...connectOptions(tls, material), allowH2: false };
          const undici = await import("undici");
          // A resumed session shows no certificate, and its name is not checked: each connection is to begin anew.
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

/** Options of `tls.connect`. Without an authority of its own a server may be vouched for by Node's or the system's. */
function connectOptions(tls: TlsClientOptions, { ca, cert, key }: TlsMaterial): TlsConnectOptions {
  const authorities =
    ca ?? (verifies(tls, { ca }) ? [...getCACertificates("default"), ...getCACertificates("system")] : []);
  const name = tls.serverName;
  return {
    secureContext: createSecureContext({
      ca: authorities,
      // A partial chain lets users trust the server's own certificate even where an authority issued it.
      allowPartialTrustChain: ca !== undefined,
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(tls.minVersion !== undefined && { minVersion: tls.minVersion }),
    }),
    // Refused by `refusalOf`: Node.js would end the connection without telling which certificate was shown.
    rejectUnauthorized: false,
    ...(name !== undefined && {
      checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
      // RFC 6066: SNI carries names, never addresses.
      ...(isIP(name) === 0 && { servername: name }),
    }),
  };
}

/** Whether an authority, the name and the dates count. */
function verifies(tls: TlsClientOptions, { ca }: Pick<TlsMaterial, "ca">): boolean {
  const isPinned = tls.fingerprints !== undefined && ca === undefined;
  return tls.insecureSkipVerify !== true && !isPinned;
}

/** Why the server is not believed. Asked before undici learns of the connection: nothing has been sent yet. */
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
