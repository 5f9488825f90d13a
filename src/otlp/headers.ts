import type { ReadFile } from "../config/reading-files.ts";
import { FileSecret, headerFault, type Secret, type SecretSource } from "../config/secrets.ts";
import type { Redactor } from "../errors/redactor.ts";

/** Headers of one request. Asked for each time, so that a file that was rotated counts from the next request on. */
export type HeaderReader = () => Promise<Readonly<Record<string, string>>>;

export interface HeaderSettings {
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, Secret>>;
  /** Paths of files that hold one value each, by name in lower case; they win over `headers`. */
  readonly headerFiles: Readonly<Record<string, string>>;
}

/**
 * Reads headers from where they are. All values are known to the redactor: a receiver may echo what it was sent.
 * The reader rejects with ExporterError SECRET_UNREADABLE while a file is missing or empty.
 */
export function headerReader(settings: HeaderSettings, readFile: ReadFile, redactor: Redactor): HeaderReader {
  const learn = (value: string): string => {
    redactor.add(value);
    // `Bearer <token>`: who echoes the token leaves the scheme out.
    const [, credentials] = /^[A-Za-z]+ +(\S+)$/.exec(value) ?? [];
    if (credentials !== undefined) redactor.add(credentials);
    const password = passwordOf(value);
    if (password !== undefined) redactor.add(password);
    return value;
  };
  for (const secret of Object.values(settings.headers)) learn(secret.reveal());
  const sources = new Map<string, Pick<SecretSource, "read">>();
  for (const [name, secret] of Object.entries(settings.headers)) sources.set(name, { read: async () => secret });
  for (const [name, path] of Object.entries(settings.headerFiles)) {
    sources.set(name, new FileSecret(path, path, readFile, redactor, headerFault));
  }
  return async () => {
    const headers: Record<string, string> = {};
    for (const [name, source] of sources) headers[name] = learn((await source.read()).reveal());
    return headers;
  };
}

/** Of `Basic <base64 of user:password>`: what stands behind such a header may log it in plain words. */
function passwordOf(header: string): string | undefined {
  const [, pair] = /^Basic +([\w+/=-]+)$/i.exec(header) ?? [];
  return pair === undefined ? undefined : /^[^:]*:(.*)$/s.exec(Buffer.from(pair, "base64").toString())?.[1];
}
