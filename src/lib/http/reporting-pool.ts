import { type buildConnector, Client, type Dispatcher, Pool } from "undici";
import type { ConnectSettings } from "./tls.ts";

/**
 * A pool that tells of each request that went out on a connection which had carried others before.
 * @param onReuse gets what undici was asked to send
 */
export function createReportingPool(
  origin: string,
  onReuse: (request: object) => void,
  options: Omit<Pool.Options, "factory"> & { readonly connect: ConnectSettings | buildConnector.connector },
): Pool {
  return new Pool(origin, {
    ...options,
    factory: (address, settings) => new ReportingClient(address, settings, onReuse),
  });
}

/** One connection; reports requests that find it open already. */
class ReportingClient extends Client {
  readonly #onReuse: (request: object) => void;

  constructor(origin: URL, options: Client.Options, onReuse: (request: object) => void) {
    super(origin, options);
    this.#onReuse = onReuse;
  }

  override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (this.stats.connected) this.#onReuse(request);
    return super.dispatch(request, handler);
  }
}
