import { formsOf, type SecretForm } from "./secret-forms.ts";

const REDACTED = "[redacted]";

/** Of the hash. No form of a secret may be shorter. */
export const MIN_SECRET_LENGTH = 4;
/** Each of the characters shifts those before it by a fourth. */
const HASH_BITS = 16;
const HASH_MASK = (1 << HASH_BITS) - 1;
const CHARACTER_SHIFT = HASH_BITS / MIN_SECRET_LENGTH;

const BASE64_CHARACTER = /[\w+/-]/;

/** Looks through a text once, however many secrets there are: a table has the first four characters of each form. */
export class SecretSearch {
  readonly #minLength: number;
  readonly #secrets = new Map<string, readonly SecretForm[]>();
  /** By hash. */
  readonly #forms = new Map<number, SecretForm[]>();
  readonly #starts = new Uint8Array(HASH_MASK + 1);

  /** Ignores shorter secrets. */
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
    // Others may share a form.
    this.#forms.clear();
    this.#starts.fill(0);
    for (const forms of this.#secrets.values()) this.#learn(forms);
  }

  /** The text itself where it holds no secret. */
  redact(text: string): string {
    if (this.#secrets.size === 0 || text.length < MIN_SECRET_LENGTH) return text;
    let clean = "";
    let copied = 0;
    // Forms may overlap: no rest of either stays.
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
      let hash = 0;
      for (let at = 0; at < MIN_SECRET_LENGTH; at++) hash = nextHash(hash, form.text.charCodeAt(at));
      const known = this.#forms.get(hash);
      if (known === undefined) this.#forms.set(hash, [form]);
      else known.push(form);
      this.#starts[hash] = 1;
    }
  }

  /** What all forms from `start` cover together. */
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

/** Of the last four characters. */
function nextHash(hash: number, code: number): number {
  return ((hash << CHARACTER_SHIFT) ^ code) & HASH_MASK;
}

function isBase64(text: string, at: number): boolean {
  return BASE64_CHARACTER.test(text.charAt(at));
}
