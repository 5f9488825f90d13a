const SIGNAL_PATH = "/v1/metrics";

/** The URL for metrics below a base; undefined when the base is no http or https URL. A query stays at the end. */
export function metricsUrl(base: string): string | undefined {
  const url = parseHttpUrl(base);
  if (url === undefined) return undefined;
  url.pathname = url.pathname.replace(/\/*$/, "") + SIGNAL_PATH;
  return url.href;
}

/** The same for a base that people write by hand, who often give the whole of it. */
export function completeMetricsUrl(base: string): string | undefined {
  const url = parseHttpUrl(base);
  return url?.pathname.replace(/\/+$/, "").endsWith(SIGNAL_PATH) ? url.href : metricsUrl(base);
}

export function parseHttpUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  // Nothing listens on port 0.
  return (url.protocol === "http:" || url.protocol === "https:") && url.port !== "0" ? url : undefined;
}

export interface BareUrl {
  /** Without user and password. */
  readonly url: string;
  /** `Authorization` for the user and password that were there. */
  readonly authorization: string | undefined;
}

/** Takes credentials out of a URL: it is shown in logs, and no client sends them from there. */
export function takeCredentials(text: string): BareUrl {
  const url = new URL(text);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  if (username === "" && password === "") return { url: url.href, authorization: undefined };
  const pair = `${decode(username)}:${decode(password)}`;
  return { url: url.href, authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A bare percent sign.
    return text;
  }
}
