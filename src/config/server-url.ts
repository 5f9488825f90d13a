/** Why a text is no URL of a server, in words that do not repeat it: it may hold credentials. */
export interface UrlFault {
  readonly fault: string;
}

/** Reads the URL of a monitoring server; a slash or `/api/v2` at its end is dropped. */
export function parseServerUrl(text: string): { readonly url: string } | UrlFault {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim())) return { fault: "it does not begin with http:// or https://" };
  if (!URL.canParse(text)) return { fault: "it is malformed" };
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return { fault: "its scheme is neither http nor https" };
  if (url.port === "0") return { fault: "nothing listens on port 0" };
  if (url.username !== "" || url.password !== "") return { fault: "credentials belong under auth, not in the URL" };
  if (text.includes("?")) return { fault: "it has a query; an API key belongs under auth" };
  if (text.includes("#")) return { fault: "it has a fragment" };
  const path = url.pathname
    .replace(/\/+$/, "")
    .replace(/\/api\/v2$/i, "")
    .replace(/\/+$/, "");
  return { url: url.origin + path };
}
