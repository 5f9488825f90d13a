export interface BasicCredentials {
  readonly name: string;
  readonly password: string;
}

/** The credentials of an Authorization header (RFC 7617); undefined when it holds none. */
export function parseBasicAuth(header: string | undefined): BasicCredentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? "")?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon === -1 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
