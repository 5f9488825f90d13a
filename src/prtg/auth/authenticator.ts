import { ExporterError } from "../../errors/exporter-error.ts";
import type { Redactor } from "../../errors/redactor.ts";
import { waitFor } from "../../lib/deadline.ts";
import { ApiError } from "../api-error.ts";

/** The source of the Authorization header. */
export interface Authenticator {
  /** Rejects with an ApiError, or with the signal's reason. */
  token(signal: AbortSignal): Promise<string>;
  /**
   * Call if the server refused a token. Resolves to true if there is another one to try once. Concurrent callers share
   * one renewal.
   */
  renew(token: string, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

/** A key never expires, but its file may change. */
export class ApiKeyAuth implements Authenticator {
  readonly #read: () => Promise<string>;
  readonly #redactor: Redactor;
  #key: Promise<string> | undefined;

  constructor(read: () => Promise<string>, redactor: Redactor) {
    this.#read = read;
    this.#redactor = redactor;
  }

  token(signal: AbortSignal): Promise<string> {
    this.#key ??= this.#readKey();
    return waitFor(this.#key, signal);
  }

  async renew(token: string, signal: AbortSignal): Promise<boolean> {
    const current = await this.token(signal);
    if (current !== token) return true;
    this.#key = undefined;
    return (await this.token(signal)) !== token;
  }

  async close(): Promise<void> {}

  async #readKey(): Promise<string> {
    try {
      const key = await readSecret(this.#read, this.#redactor);
      if (!isHeaderSafe(key))
        throw new ApiError("SECRET_UNREADABLE", "the API key contains spaces or other invalid characters", {
          endpoint: "",
        });
      return key;
    } catch (error) {
      this.#key = undefined;
      throw error;
    }
  }
}

/** Whether it can follow `Bearer `. */
export function isHeaderSafe(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

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
