/** Message lines may be beginnings. */
export interface BadDocument {
  readonly title: string;
  readonly text: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly code?: string;
  /** `LINE:COLUMN` and required fragments, all in order. */
  readonly problems: readonly (readonly [position: string, ...fragments: string[]])[];
}

/** Two valid lines. Next is line 3. */
export const SERVER = "servers:\n  - { url: https://prtg:1616, auth: { api_key_file: /run/secrets/key } }\n";
/** Next is line 5, indented by four. */
export const OPEN_SERVER = "servers:\n  - url: https://prtg:1616\n    auth:\n      api_key_file: /run/secrets/key\n";

export const AUTH = "exactly one of api_key_file, api_key, username with password_file, or username with password";

export function auth(text: string): string {
  return `servers:\n  - url: https://prtg:1616\n    auth: ${text}\n`;
}

export function url(text: string): string {
  return `servers:\n  - auth: { api_key_file: /run/secrets/key }\n    url: ${text}\n`;
}
