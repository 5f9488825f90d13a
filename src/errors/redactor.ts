import { MIN_SECRET_LENGTH, SecretSearch } from "./secret-search.ts";

/** Shorter passwords occur in names: `router` must not change the names of all routers. */
const MIN_CREDENTIAL_LENGTH = 8;

/** Removes secrets from text: servers may echo a password, libraries may print a header. */
export class Redactor {
  /** Secrets of PRTG servers, for texts that become labels. Those of receivers (`X-Scope-OrgID: prod`) must not change names. */
  readonly credentials = new SecretSearch(MIN_CREDENTIAL_LENGTH);
  readonly #all = new SecretSearch(MIN_SECRET_LENGTH);

  /** Ignores secrets shorter than four characters. */
  add(secret: string): void {
    this.#all.add(secret);
  }

  /** Adds a secret that a PRTG server receives. */
  addCredential(secret: string): void {
    this.#all.add(secret);
    this.credentials.add(secret);
  }

  /** Removes a secret that is no longer valid, such as the token of an ended session. */
  remove(secret: string): void {
    this.#all.remove(secret);
    this.credentials.remove(secret);
  }

  redact(text: string): string {
    return this.#all.redact(text);
  }
}
