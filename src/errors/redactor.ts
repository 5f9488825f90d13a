import { MIN_SECRET_LENGTH, SecretSearch } from "./secret-search.ts";

/** Shorter passwords occur in names: the password `router` must not change the names of all routers. */
const MIN_CREDENTIAL_LENGTH = 8;

/**
 * Knows every secret in use and takes it out of text. The last line of defence behind not writing secrets at all:
 * a server may echo a password in an error message, a library may print a header.
 */
export class Redactor {
  /**
   * Keys, session tokens and passwords of PRTG servers, in texts that become labels. Secrets of receivers are not among
   * them: a header such as `X-Scope-OrgID: prod` must not change names.
   */
  readonly credentials = new SecretSearch(MIN_CREDENTIAL_LENGTH);
  readonly #all = new SecretSearch(MIN_SECRET_LENGTH);

  /** Ignores secrets of less than four characters, which occur in ordinary words. */
  add(secret: string): void {
    this.#all.add(secret);
  }

  /** As `add`, for a secret that a PRTG server is sent. */
  addCredential(secret: string): void {
    this.#all.add(secret);
    this.credentials.add(secret);
  }

  /** Forgets a secret that is worthless now, such as the token of an ended session. */
  remove(secret: string): void {
    this.#all.remove(secret);
    this.credentials.remove(secret);
  }

  redact(text: string): string {
    return this.#all.redact(text);
  }
}
