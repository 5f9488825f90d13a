import net from "node:net";

/** No port is taken, and none appears in output. */
export function installPorts(
  known: ReadonlyMap<number, number>,
  listening: (named: number, actual: number) => void,
): void {
  const { connect } = net.Socket.prototype;
  const { listen, address } = net.Server.prototype;
  const actualOf = new Map(known);
  const namedOf = new WeakMap<net.Server, number>();
  net.Socket.prototype.connect = function (this: net.Socket, ...args: Parameters<typeof connect>) {
    // net.connect passes [options, callback] in one array.
    const given: unknown = args[0];
    const options: unknown = Array.isArray(given) ? given[0] : given;
    if (typeof options === "object" && options !== null && "port" in options) {
      const actual = actualOf.get(Number(options.port));
      if (actual !== undefined) Object.assign(options, { port: actual });
    }
    return Reflect.apply(connect, this, args);
  } as typeof connect;
  net.Server.prototype.listen = function (this: net.Server, ...args: unknown[]) {
    const [options] = args;
    const port = typeof options === "object" && options !== null && "port" in options ? Number(options.port) : options;
    if (typeof port === "number" && port !== 0) {
      namedOf.set(this, port);
      args[0] = typeof options === "object" ? { ...options, port: 0 } : 0;
      this.once("listening", () => {
        const actual = Reflect.apply(address, this, []);
        if (typeof actual === "object" && actual !== null) listening(port, actual.port);
      });
    }
    return Reflect.apply(listen, this, args);
  } as typeof listen;
  net.Server.prototype.address = function (this: net.Server) {
    const actual = Reflect.apply(address, this, []);
    const named = namedOf.get(this);
    return named === undefined || typeof actual !== "object" || actual === null ? actual : { ...actual, port: named };
  };
}
