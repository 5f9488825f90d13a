import { formsOf, type SecretForm } from "./secret-forms.ts";

const REDACTED = "[redacted]";

/** Length of the hash window. Forms of secrets are at least as long. */
export const MIN_SECRET_LENGTH = 4;
/** Each of the four characters shifts the others by a quarter. */
const HASH_BITS = 16;
const HASH_MASK = (1 << HASH_BITS) - 1;
const CHARACTER_SHIFT = HASH_BITS / MIN_SECRET_LENGTH;

const BASE64_CHARACTER = /[\w+/-]/;

/** Scans a text once for all secrets, with a table of the first four characters of each form (Rabin-Karp). */
export class SecretSearch {
  readonly #minLength: number;
  readonly #secrets = new Map<string, readonly SecretForm[]>();
  readonly #forms = new Map<number, SecretForm[]>();
  readonly #starts = new Uint8Array(HASH_MASK + 1);
  /** Length of the shortest form. Most names and ids are shorter. */
  #shortest = Number.POSITIVE_INFINITY;

  constructor(minLength: number) {
    this.#minLength = Math.max(minLength, MIN_SECRET_LENGTH);
  }

  /** Also in its encodings. */
  add(secret: string): void {
    if (secret.length < this.#minLength || this.#secrets.has(secret)) return;
    const forms = formsOf(secret);
    this.#secrets.set(secret, forms);
    this.#learn(forms);
  }

  remove(secret: string): void {
    if (!this.#secrets.delete(secret)) return;
    // Secrets may share a form.
    this.#forms.clear();
    this.#starts.fill(0);
    this.#shortest = Number.POSITIVE_INFINITY;
    for (const forms of this.#secrets.values()) this.#learn(forms);
  }

  /** Returns the same string if it holds no secret. */
  redact(text: string): string {
    if (text.length < this.#shortest) return text;
    let clean = "";
    let copied = 0;
    // Forms may overlap: redact all of them together.
    let from = -1;
    let to = -1;
    let hash = 0;
    for (let at = 0; at < text.length; at++) {
      hash = nextHash(hash, text.charCodeAt(at));
      if (this.#starts[hash] === 0) continue;
      const start = at - MIN_SECRET_LENGTH + 1;
      const found = start < 0 ? undefined : this.#find(text, hash, start);
      if (found === undefined) continue;
      if (found.from < to) {
        to = Math.max(to, found.to);
        continue;
      }
      if (to >= 0) {
        clean += text.slice(copied, from) + REDACTED;
        copied = to;
      }
      from = Math.max(found.from, copied);
      to = found.to;
    }
    return to < 0 ? text : clean + text.slice(copied, from) + REDACTED + text.slice(to);
  }

  #learn(forms: readonly SecretForm[]): void {
    for (const form of forms) {
      this.#shortest = Math.min(this.#shortest, form.text.length);
      let hash = 0;
      for (let at = 0; at < MIN_SECRET_LENGTH; at++) hash = nextHash(hash, form.text.charCodeAt(at));
      const known = this.#forms.get(hash);
      if (known === undefined) this.#forms.set(hash, [form]);
      else known.push(form);
      this.#starts[hash] = 1;
    }
  }

  #find(text: string, hash: number, start: number): { readonly from: number; readonly to: number } | undefined {
    let from = start;
    let to = -1;
    for (const form of this.#forms.get(hash) ?? []) {
      if (!text.startsWith(form.text, start)) continue;
      const end = start + form.text.length;
      to = Math.max(to, end + (form.sharedBehind === true && isBase64(text, end) ? 1 : 0));
      if (form.sharedBefore === true && isBase64(text, start - 1)) from = start - 1;
    }
    return to < 0 ? undefined : { from, to };
  }
}

function nextHash(hash: number, code: number): number {
  return ((hash << CHARACTER_SHIFT) ^ code) & HASH_MASK;
}

function isBase64(text: string, at: number): boolean {
  return BASE64_CHARACTER.test(text.charAt(at));
}
