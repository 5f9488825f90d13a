import { isIP } from "node:net";
import { type ConnectionOptions, checkServerIdentity, createSecureContext, getCACertificates } from "node:tls";
import type { ApiTls } from "./options.ts";

type TlsConnectOptions = Pick<
  ConnectionOptions,
  "secureContext" | "rejectUnauthorized" | "checkServerIdentity" | "servername"
>;

/** Options of `tls.connect`. Without an authority of its own a server may be vouched for by Node's or the system's. */
export function tlsConnectOptions(tls: ApiTls): TlsConnectOptions {
  const verifies = tls.insecureSkipVerify !== true;
  const ca = tls.ca ?? (verifies ? [...getCACertificates("default"), ...getCACertificates("system")] : []);
  const name = tls.serverName;
  return {
    // Built once: parsing some hundred certificates at each connection would block the event loop.
    // A partial chain lets users pin the server's own certificate even where an authority issued it.
    secureContext: createSecureContext({ ca, allowPartialTrustChain: tls.ca !== undefined }),
    rejectUnauthorized: verifies,
    ...(name !== undefined && {
      checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
      // RFC 6066: SNI carries names, never addresses.
      ...(isIP(name) === 0 && { servername: name }),
    }),
  };
}
