const REDACTED = "[redacted]";

/** Shorter strings are too likely to be part of ordinary words. */
const SHORTEST_SECRET = 4;

/**
 * Knows every secret in use and takes it out of text. The last line of defence behind not writing secrets at all:
 * a server may echo a password in an error message, a library may print a header.
 */
export class Redactor {
  /** The longest first, so that a secret that holds another is replaced as a whole. */
  #secrets: readonly string[] = [];

  /** Remembers a secret, also as it looks inside JSON, URLs and base64. Empty or very short ones are ignored. */
  add(secret: string): void {
    if (secret.length < SHORTEST_SECRET) return;
    this.#secrets = [...new Set([...this.#secrets, ...formsOf(secret)])].sort((a, b) => b.length - a.length);
  }

  /** Forgets a secret that has lost its worth, such as the token of an ended session. */
  remove(secret: string): void {
    const forms = formsOf(secret);
    this.#secrets = this.#secrets.filter((known) => !forms.includes(known));
  }

  redact(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, REDACTED);
    return clean;
  }
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  const inForm = new URLSearchParams({ "": secret }).toString().slice(1);
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    inJson,
    // In JSON that stands as a text in JSON, as a body that is quoted in an error.
    JSON.stringify(inJson).slice(1, -1),
    ...[inUrl, inForm].flatMap((text) => [text, text.replace(/%../g, (code) => code.toLowerCase())]),
    // Without padding, which some writers leave out.
    ...[bytes.toString("base64"), bytes.toString("base64url")].map((text) => text.replace(/=+$/, "")),
  ];
}
