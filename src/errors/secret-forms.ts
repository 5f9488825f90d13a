export interface SecretForm {
  readonly text: string;
  /** The base64 character next to `text` also holds bits of the secret. */
  readonly sharedBefore?: boolean;
  readonly sharedBehind?: boolean;
}

/** Shorter pieces occur in ordinary text. */
const MIN_BASE64_LENGTH = 6;

/** Encodings of a secret: JSON, HTML, URL, hexadecimal, and base64 (`user:password`) at any position. */
export function formsOf(secret: string): readonly SecretForm[] {
  const forms = new Map<string, SecretForm>();
  const add = (form: SecretForm) => {
    if (!forms.has(form.text)) forms.set(form.text, form);
  };
  const json = inJson(secret);
  const texts = [
    secret,
    json,
    // JSON inside JSON: a response body that an error quotes.
    inJson(json),
    ...otherJson(secret),
    ...inHtml(secret),
    ...inUrls(secret),
  ];
  for (const text of texts) add({ text });
  for (const bytes of bytesOf(secret)) {
    for (const text of inHex(bytes)) add({ text });
    for (const form of inBase64(bytes)) {
      for (const text of new Set([form.text, ...otherJson(form.text), ...inUrls(form.text)])) add({ ...form, text });
    }
    // UTF-8 decoded as Latin-1.
    add({ text: bytes.toString("latin1") });
  }
  return [...forms.values()];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Escapes of .NET, Go, PHP and Python. */
function otherJson(secret: string): readonly string[] {
  const json = inJson(secret);
  const withCodes = (text: string, characters: RegExp, upper: boolean) =>
    text.replace(characters, (character) => {
      const code = character.charCodeAt(0).toString(16).padStart(4, "0");
      return `\\u${upper ? code.toUpperCase() : code}`;
    });
  const noAscii = /[\u0080-\uffff]/g;
  return [
    // .NET escapes quotes as codes.
    withCodes(json.replaceAll('\\"', '"'), /["&'+<>`\u007f-\uffff]/g, true),
    withCodes(json, /[&<>\u2028\u2029]/g, false),
    withCodes(json, noAscii, false),
    withCodes(json, noAscii, false).replaceAll("/", "\\/"),
    json.replaceAll("/", "\\/"),
  ];
}

function inHtml(secret: string): readonly string[] {
  const basic = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return [
    basic,
    ...[
      ["&quot;", "'"],
      ["&quot;", "&#39;"],
      ["&#34;", "&#39;"],
      ["&quot;", "&#x27;"],
      ["&quot;", "&#039;"],
    ].map(([double = "", single = ""]) => basic.replaceAll('"', double).replaceAll("'", single)),
  ];
}

function inUrls(secret: string): readonly string[] {
  const component = encodeURIComponent(secret.toWellFormed());
  // RFC 3986 reserves more characters than JavaScript.
  const strict = component.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams({ "": secret }).toString().slice(1);
  const whole = encodeURI(secret.toWellFormed());
  return [component, strict, strict.replaceAll("%20", "+"), form, whole].flatMap((text) => [
    text,
    text.replace(/%../g, (code) => code.toLowerCase()),
  ]);
}

/** Headers are Latin-1 if possible. Everything else is UTF-8. */
function bytesOf(secret: string): readonly Buffer[] {
  const utf8 = Buffer.from(secret);
  return /^[\0-\xff]*$/.test(secret) ? [utf8, Buffer.from(secret, "latin1")] : [utf8];
}

function inHex(bytes: Buffer): readonly string[] {
  const pairs = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  return ["", " ", ":", "-", "%", "\\x"].flatMap((separator) => {
    const text = pairs.join(separator);
    const upper = pairs.map((pair) => pair.toUpperCase()).join(separator);
    return [text, upper];
  });
}

/** The base64 characters that depend only on the secret, after 0, 1 or 2 other bytes, in both alphabets. */
function inBase64(bytes: Buffer): readonly SecretForm[] {
  const forms: SecretForm[] = [];
  for (const encoding of ["base64", "base64url"] as const) {
    // The secret alone, without padding.
    forms.push({ text: bytes.toString(encoding).replace(/=+$/, "") });
    for (const before of [0, 1, 2]) {
      const from = Math.ceil((before * 8) / 6);
      const to = Math.floor(((before + bytes.length) * 8) / 6);
      const text = Buffer.concat([Buffer.alloc(before), bytes])
        .toString(encoding)
        .slice(from, to);
      if (text.length < MIN_BASE64_LENGTH) continue;
      forms.push({ text, sharedBefore: before > 0, sharedBehind: ((before + bytes.length) * 8) % 6 > 0 });
    }
  }
  return forms;
}
