import type { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { isIP } from "node:net";
import { connect } from "node:tls";

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
