import { changesLink, nodeLink, serverLink } from "../pages/status/links.ts";

/** Addresses of pages of the exporter: absolute with `web.external_url`, otherwise paths. */
export class PageLinks {
  readonly #externalUrl: string | undefined;

  constructor(externalUrl: string | undefined) {
    this.#externalUrl = externalUrl;
  }

  node(object: { readonly server: string; readonly id: string }): string {
    return this.#address(nodeLink(object));
  }

  server(name: string): string {
    return this.#address(serverLink(name));
  }

  changes(server?: string): string {
    return this.#address(changesLink(server));
  }

  overview(): string {
    return this.#address("./");
  }

  #address(link: string): string {
    return this.#externalUrl === undefined ? link.slice(1) : new URL(link, `${this.#externalUrl}/`).href;
  }
}
