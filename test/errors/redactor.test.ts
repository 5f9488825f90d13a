import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Redactor } from "../../src/errors/redactor.ts";
import { runs } from "../support/runs.ts";

function redactorOf(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor;
}

describe("Redactor", () => {
  test.each([
    ["alone", "abc+/=def", "[redacted]"],
    ["as it is", "key=abc+/=def!", "key=[redacted]!"],
    ["twice", "abc+/=def and abc+/=def", "[redacted] and [redacted]"],
    ["in a URL", `?key=${encodeURIComponent("abc+/=def")}`, "?key=[redacted]"],
    ["in a URL with small letters", "?key=abc%2b%2f%3ddef", "?key=[redacted]"],
    ["in base64", `${Buffer.from("abc+/=def").toString("base64")} or base64url`, "[redacted] or base64url"],
  ])("removes a secret %s", (_where, text, clean) => {
    expect(redactorOf("abc+/=def").redact(text)).toBe(clean);
  });

  test("removes a secret from a form with plus signs for spaces", () => {
    expect(redactorOf("pass word!").redact("a=pass+word%21&b=1")).toBe("a=[redacted]&b=1");
  });

  test("removes a secret from base64 with and without padding", () => {
    const secret = "ab?>c~";
    expect(Buffer.from(secret).toString("base64")).not.toBe(Buffer.from(secret).toString("base64url"));
    for (const encoding of ["base64", "base64url"] as const) {
      expect(redactorOf(secret).redact(Buffer.from(secret).toString(encoding))).toBe("[redacted]");
      const padded = redactorOf("12345").redact(Buffer.from("12345").toString(encoding));
      expect(padded.replaceAll("=", "")).toBe("[redacted]");
    }
  });

  test("removes an escaped secret from JSON", () => {
    const secret = 'a"b\\c\nd';
    const body = JSON.stringify({ secret });
    expect(redactorOf(secret).redact(body)).toBe('{"secret":"[redacted]"}');
    expect(redactorOf(secret).redact(JSON.stringify({ body }))).toBe(
      JSON.stringify({ body: '{"secret":"[redacted]"}' }),
    );
  });

  test.each([[["secret", "secret-and-more"]], [["secret-and-more", "secret"]]])(
    "leaves no rest of nested secrets (%j)",
    (secrets) => {
      expect(redactorOf(...secrets).redact("x secret-and-more y secret z")).toBe("x [redacted] y [redacted] z");
    },
  );

  test("keeps ordinary text and ignores very short secrets", () => {
    expect(redactorOf("abc", "").redact("abcdef")).toBe("abcdef");
  });
});

/** Not part of the replacement text. */
const SECRET = fc
  .oneof(fc.string({ minLength: 5, maxLength: 40 }), fc.string({ minLength: 5, maxLength: 40, unit: "binary" }))
  .filter((secret) => secret.length >= 5 && !"[redacted]".includes(secret) && !/[\r\n\0]/.test(secret));
const BESIDE = fc.uint8Array({ maxLength: 12 });

describe("Redactor with any text around a secret", () => {
  test.each(["base64", "base64url"] as const)("removes it in %s", (encoding) => {
    fc.assert(
      fc.property(SECRET, BESIDE, BESIDE, (secret, before, behind) => {
        const bytes = Buffer.from(secret);
        const text = Buffer.concat([before, bytes, behind]).toString(encoding).replace(/=+$/, "");
        // Base64 has six bits per character: removes exactly those with bits of the secret.
        const from = Math.floor((before.length * 8) / 6);
        const to = Math.ceil(((before.length + bytes.length) * 8) / 6);
        const left = text.slice(0, from);
        const right = text.slice(to);
        fc.pre(!`${left}${right}`.includes(secret));
        expect(redactorOf(secret).redact(text)).toBe(`${left}[redacted]${right}`);
      }),
      { numRuns: runs(2_000) },
    );
  });

  const WRITERS: Readonly<Record<string, (secret: string) => string>> = {
    "as it is": (secret) => secret,
    "hexadecimal in small letters": (secret) => Buffer.from(secret).toString("hex"),
    "hexadecimal in capitals": (secret) => Buffer.from(secret).toString("hex").toUpperCase(),
    "a URL": encodeURIComponent,
    "a URL with small letters": (secret) => encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
    "a form": (secret) => new URLSearchParams({ a: secret }).toString().slice(2),
    JSON: (secret) => JSON.stringify(secret),
    "JSON in JSON": (secret) => JSON.stringify(JSON.stringify(secret)),
    HTML: (secret) =>
      secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
    "base64 in a URL": (secret) => encodeURIComponent(Buffer.from(`Bearer ${secret}`).toString("base64")),
    "JSON in base64 in JSON": (secret) =>
      JSON.stringify({ authorization: Buffer.from(`user:${secret}`).toString("base64") }),
  };

  test.each(Object.keys(WRITERS))("removes its form: %s", (name) => {
    const write = WRITERS[name] ?? String;
    fc.assert(
      fc.property(SECRET, fc.string(), fc.string(), (given, before, behind) => {
        const secret = given.toWellFormed();
        const clean = redactorOf(secret).redact(`${before} ${write(secret)} ${behind}`);
        const pair = [...Buffer.from(secret)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
        expect(clean).toContain("[redacted]");
        for (const form of [write(secret), pair]) expect(clean).not.toContain(form);
      }),
      { numRuns: runs(300) },
    );
  });

  test.each(["", " ", ":", "-", "%", "\\x"])("removes it in hexadecimal, bytes separated by %j", (separator) => {
    const pairs = [..."key+Ü/9"].flatMap((each) => Buffer.from(each).toString("hex").match(/../g) ?? []);
    for (const text of [
      pairs.join(separator),
      pairs.join(separator).replace(/[a-f]/g, (digit) => digit.toUpperCase()),
    ]) {
      expect(redactorOf("key+Ü/9").redact(`<${text}>`)).toBe("<[redacted]>");
    }
  });

  test.each([
    ["of .NET", 'a+b&c"d/é', '{"key":"a\\u002Bb\\u0026c\\u0022d/\\u00E9"}'],
    ["of Go", "a+b&c<d/é", '{"key":"a+b\\u0026c\\u003cd/é"}'],
    ["of Python", "a+b&c/é", '{"key":"a+b&c/\\u00e9"}'],
    ["of PHP", "a+b&c/é", '{"key":"a+b&c\\/\\u00e9"}'],
  ])("removes it in JSON %s", (_who, secret, text) => {
    expect(redactorOf(secret).redact(text)).toBe('{"key":"[redacted]"}');
  });

  test.each([
    ["of .NET", "a&lt;b&quot;c&#39;d"],
    ["of Go", "a&lt;b&#34;c&#39;d"],
    ["of Python", "a&lt;b&quot;c&#x27;d"],
    ["of PHP", "a&lt;b&quot;c&#039;d"],
  ])("removes it in HTML %s", (_who, text) => {
    expect(redactorOf("a<b\"c'd").redact(`<p>${text}</p>`)).toBe("<p>[redacted]</p>");
  });

  test("removes it from a Latin-1 header", () => {
    const secret = "pässwörd";
    const pair = Buffer.from(`user:${secret}`, "latin1").toString("base64");
    expect(redactorOf(secret).redact(`Basic ${pair}`)).toBe("Basic dXNlcj[redacted]==");
    expect(redactorOf(secret).redact(Buffer.from(secret).toString("latin1"))).toBe("[redacted]");
  });
});

test("the redactor leaves no rest of overlapping secrets, and keeps the rest of a forgotten one", () => {
  const redactor = redactorOf("abcdef", "defghi");
  expect(redactor.redact("1 abcdefghi 2")).toBe("1 [redacted] 2");
  redactor.add("ab cd");
  redactor.add("ab%20cd");
  redactor.remove("ab%20cd");
  redactor.remove("never added");
  expect(redactor.redact("x ab%20cd y")).toBe("x [redacted] y");
});

test("the redactor keeps ordinary words with a secret of five characters", () => {
  const words = "the quick brown fox jumps over the lazy dog /metrics?shard=1/2 prtg_channel_value 0123456789";
  const redactor = redactorOf("admin", "12345678901234", "zzzz", "qwert");
  expect(redactor.redact(words)).toBe(words);
});
