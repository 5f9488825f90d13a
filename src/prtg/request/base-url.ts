/** Root of all paths of the API, split as an HTTP client wants it. */
export interface BaseUrl {
  /** `https://prtg.example.com:1616` */
  readonly origin: string;
  /** `/api/v2`, after the path prefix of a reverse proxy if there is one. */
  readonly path: string;
  readonly secure: boolean;
}

/** Reads the URL of a server, with or without `/` or `/api/v2` at its end. Throws a TypeError when it is none. */
export function parseBaseUrl(text: string): BaseUrl {
  const url = new URL(text);
  const prefix = url.pathname
    .replace(/\/+$/, "")
    .replace(/\/api\/v2$/i, "")
    .replace(/\/+$/, "");
  return { origin: url.origin, path: `${prefix}/api/v2`, secure: url.protocol === "https:" };
}
