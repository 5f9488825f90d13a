/** A document that must be refused: what it holds, and the lines of the message (their beginnings or more). */
export interface BadDocument {
  readonly title: string;
  readonly text: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly code?: string;
  /** `LINE:COLUMN` and the fragments that the problem there must contain; all problems, in order. */
  readonly problems: readonly (readonly [position: string, ...fragments: string[]])[];
}

/** Two lines of a server that is fine; what follows is in line 3. */
export const SERVER = "servers:\n  - { url: https://prtg:1616, auth: { api_key_file: /run/secrets/key } }\n";
/** A server that is fine; what follows is in line 5, indented by four. */
export const OPEN_SERVER = "servers:\n  - url: https://prtg:1616\n    auth:\n      api_key_file: /run/secrets/key\n";

export const AUTH = "exactly one of api_key_file, api_key, username with password_file, or username with password";

export function auth(text: string): string {
  return `servers:\n  - url: https://prtg:1616\n    auth: ${text}\n`;
}

export function url(text: string): string {
  return `servers:\n  - auth: { api_key_file: /run/secrets/key }\n    url: ${text}\n`;
}
