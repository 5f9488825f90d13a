import { MIN_SECRET_LENGTH, SecretSearch } from "./secret-search.ts";

/** Shorter passwords occur in names: `router` must not change those of all routers. */
const MIN_CREDENTIAL_LENGTH = 8;

/** Takes every secret in use out of text: a server may echo a password, a library may print a header. */
export class Redactor {
  /**
   * Secrets of PRTG servers, for texts that become labels. Those of receivers (`X-Scope-OrgID: prod`) must not change
   * names.
   */
  readonly credentials = new SecretSearch(MIN_CREDENTIAL_LENGTH);
  readonly #all = new SecretSearch(MIN_SECRET_LENGTH);

  /** Ignores secrets of less than four characters. */
  add(secret: string): void {
    this.#all.add(secret);
  }

  /** For a secret that a PRTG server gets. */
  addCredential(secret: string): void {
    this.#all.add(secret);
    this.credentials.add(secret);
  }

  /** For a secret that is worthless now, such as the token of an ended session. */
  remove(secret: string): void {
    this.#all.remove(secret);
    this.credentials.remove(secret);
  }

  redact(text: string): string {
    return this.#all.redact(text);
  }
}
