import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Listens on a free port and tells the parent process which. */
export function reportPort(server: Server): void {
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}
