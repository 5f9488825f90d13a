import { ExporterError } from "../../errors/exporter-error.ts";
import type { Redactor } from "../../errors/redactor.ts";
import { waitFor } from "../../lib/deadline.ts";
import { ApiError } from "../api-error.ts";

/** Where the value of the Authorization header comes from. */
export interface Authenticator {
  /** The token to use now. Rejects with an ApiError, or with the signal's reason. */
  token(signal: AbortSignal): Promise<string>;
  /**
   * To be called when the server refused a token. Resolves to true when there is another one to try, once.
   * Callers whose requests were refused at the same time share one renewal.
   */
  refused(token: string, signal: AbortSignal): Promise<boolean>;
  /** Ends what was opened. Never rejects. */
  close(): Promise<void>;
}

/** An API key: it never expires, but may be replaced in its file while we run. */
export class ApiKeyAuth implements Authenticator {
  readonly #read: () => Promise<string>;
  readonly #redactor: Redactor;
  /** While it is read, a promise. */
  #key: Promise<string> | string | undefined;

  constructor(read: () => Promise<string>, redactor: Redactor) {
    this.#read = read;
    this.#redactor = redactor;
  }

  async token(signal: AbortSignal): Promise<string> {
    const key = this.#key ?? this.#startReading();
    if (typeof key !== "string") return waitFor(key, signal);
    signal.throwIfAborted();
    return key;
  }

  async refused(token: string, signal: AbortSignal): Promise<boolean> {
    const current = await this.token(signal);
    if (current !== token) return true;
    this.#key = undefined;
    return (await this.token(signal)) !== token;
  }

  async close(): Promise<void> {}

  #startReading(): Promise<string> {
    const reading = this.#readKey();
    this.#key = reading;
    const keep = (key: string): void => {
      // Another reading may have begun since, of a newer key.
      if (this.#key === reading) this.#key = key;
    };
    reading.then(keep, () => undefined);
    return reading;
  }

  async #readKey(): Promise<string> {
    try {
      const key = await readSecret(this.#read, this.#redactor);
      if (!isHeaderSafe(key))
        throw new ApiError("SECRET_UNREADABLE", "the API key holds spaces or other odd characters", { endpoint: "" });
      return key;
    } catch (error) {
      this.#key = undefined;
      throw error;
    }
  }
}

/** True for what can follow `Bearer ` in a header. */
export function isHeaderSafe(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/** Asks a provider for a secret and sees to it that it shows up nowhere. */
export async function readSecret(provider: () => Promise<string>, redactor: Redactor): Promise<string> {
  try {
    const secret = await provider();
    redactor.addCredential(secret);
    return secret;
  } catch (error) {
    const known = error instanceof ExporterError ? error : undefined;
    throw new ApiError(known?.code ?? "SECRET_UNREADABLE", known?.message ?? "a secret cannot be read", {
      endpoint: "",
      cause: error,
      ...(known !== undefined && { remedy: known.remedy }),
    });
  }
}
