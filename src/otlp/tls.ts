import { isIP } from "node:net";
import { type ConnectionOptions, checkServerIdentity, createSecureContext, getCACertificates } from "node:tls";
import { buildConnector } from "undici";
import { readCertificates, readPrivateKey } from "../config/certificates.ts";
import { printable } from "../config/quote.ts";
import type { ReadFile } from "../config/read-file.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import type { ConnectSettings } from "../lib/http/kept-connections.ts";

/** How to trust the receiver and how to be trusted by it; all undefined for the usual authorities and no certificate. */
export interface TlsSettings {
  /** PEM file of the certificates to trust instead of those of Node.js and the system. */
  readonly caFile: string | undefined;
  /** PEM files of the client's certificate chain and its key: both or neither. */
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  /** Name to expect in the certificate, where it differs from the host of the URL. */
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
}

export type TlsOptions = Pick<
  ConnectionOptions,
  "secureContext" | "rejectUnauthorized" | "checkServerIdentity" | "servername"
>;

/** Options of `tls.connect`: the same object as long as the files hold the same. */
export type TlsReader = () => Promise<TlsOptions>;

/**
 * Reads the files at each call, the key with `readSecret`: client certificates are short-lived, and rotated while the exporter runs.
 * The reader rejects with ExporterError CA_UNREADABLE, SECRET_UNREADABLE, SECRET_EXPOSED or CONFIG_INVALID when they are of no use.
 */
export function tlsReader(settings: TlsSettings, readFile: ReadFile, readSecret = readFile): TlsReader {
  let known: { readonly text: string; readonly options: TlsOptions } | undefined;
  return async () => {
    const { caFile, certFile, keyFile } = settings;
    if ((certFile === undefined) !== (keyFile === undefined)) {
      throw new ExporterError("CONFIG_INVALID", "OTLP over TLS: a client certificate and its key come together", {
        remedy: "Give both otlp.tls.cert_file and otlp.tls.key_file, or neither.",
      });
    }
    const ca = caFile === undefined ? undefined : await readCertificates(caFile, readFile);
    const client: ClientIdentity = {
      ...(certFile !== undefined && { cert: await readCertificates(certFile, readFile) }),
      ...(keyFile !== undefined && { key: await readPrivateKey(keyFile, readSecret) }),
    };
    const text = JSON.stringify([ca, client]);
    if (known?.text !== text) known = { text, options: tlsOptions(settings, ca, client) };
    return known.options;
  };
}

interface ClientIdentity {
  readonly cert?: string;
  readonly key?: string;
}

/** Opens TLS connections with what the reader gives at that time. */
export function tlsConnector(read: TlsReader, settings: ConnectSettings): buildConnector.connector {
  let known: { readonly options: TlsOptions; readonly connect: buildConnector.connector } | undefined;
  return (target, callback) => {
    read().then(
      (options) => {
        if (known?.options !== options) {
          known = { options, connect: buildConnector({ ...settings, ...options, allowH2: false }) };
        }
        known.connect(target, callback);
      },
      (error: Error) => callback(error, null),
    );
  };
}

function tlsOptions(settings: TlsSettings, ca: string | undefined, client: ClientIdentity): TlsOptions {
  const { serverName, insecureSkipVerify } = settings;
  const usual = insecureSkipVerify ? [] : [...getCACertificates("default"), ...getCACertificates("system")];
  try {
    return {
      // A partial chain lets users pin the receiver's own certificate even where an authority issued it.
      secureContext: createSecureContext({ ...client, ca: ca ?? usual, allowPartialTrustChain: ca !== undefined }),
      rejectUnauthorized: !insecureSkipVerify,
      ...(serverName !== undefined && {
        checkServerIdentity: (_host, certificate) => checkServerIdentity(serverName, certificate),
        // RFC 6066: SNI carries names, never addresses.
        ...(isIP(serverName) === 0 && { servername: serverName }),
      }),
    };
  } catch (cause) {
    const message = `the key in file ${printable(settings.keyFile ?? "")} does not belong to the client certificate`;
    throw new ExporterError("SECRET_UNREADABLE", message, { cause });
  }
}
