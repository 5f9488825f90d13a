import { connect } from "node:net";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

export const ENCODINGS = ["gzip", "identity"] as const;
export type Encoding = (typeof ENCODINGS)[number];

const BUFFER_BYTES = 1 << 20;

/**
 * Scrapes and throws away what comes: a client that does next to nothing, so that the time is the server's. Resolves
 * with the bytes of head and body.
 */
export function scrape(url: string, encoding: Encoding): Promise<number> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let head = "";
    const socket = connect({
      host: hostname,
      port: Number(port),
      onread: {
        buffer: Buffer.allocUnsafe(BUFFER_BYTES),
        callback: (count, buffer) => {
          if (bytes === 0) head = Buffer.from(buffer.subarray(0, Math.min(count, 32))).toString("latin1");
          bytes += count;
          return true;
        },
      },
    });
    socket.on("error", reject);
    socket.on("close", () => {
      if (/^HTTP\/1\.[01] 200 /.test(head)) resolve(bytes);
      else reject(new Error(`${url} answered ${head === "" ? "nothing, and closed the connection" : head}`));
    });
    socket.write(
      `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAccept-Encoding: ${encoding}\r\nConnection: close\r\n\r\n`,
    );
  });
}

/** The page as text, in the format of Prometheus. */
export async function readPage(url: string): Promise<Buffer> {
  const response = await fetch(`${url}/metrics`, { headers: { "accept-encoding": "identity" } });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** The bytes of a body as they go over the wire with gzip, and what is in them. */
export async function readGzipped(url: string): Promise<{ readonly wire: Buffer; readonly text: Buffer }> {
  const { request } = await import("undici");
  const { body } = await request(`${url}/metrics`, { headers: { "accept-encoding": "gzip" } });
  const wire = Buffer.from(await body.arrayBuffer());
  return { wire, text: await promisify(gunzip)(wire) };
}
