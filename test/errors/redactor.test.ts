import { describe, expect, it } from "vitest";
import { Redactor } from "../../src/errors/redactor.ts";

function redactorOf(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor;
}

describe("Redactor", () => {
  it.each([
    ["as it is", "key=abc+/=def!", "key=[redacted]!"],
    ["twice", "abc+/=def and abc+/=def", "[redacted] and [redacted]"],
    ["in a URL", `?key=${encodeURIComponent("abc+/=def")}`, "?key=[redacted]"],
    ["in a URL with small letters", "?key=abc%2b%2f%3ddef", "?key=[redacted]"],
    ["in base64", `${Buffer.from("abc+/=def").toString("base64")} or base64url`, "[redacted] or base64url"],
  ])("takes a secret out %s", (_where, text, clean) => {
    expect(redactorOf("abc+/=def").redact(text)).toBe(clean);
  });

  it("takes a secret out of a form, where a space is a plus", () => {
    expect(redactorOf("pass word!").redact("a=pass+word%21&b=1")).toBe("a=[redacted]&b=1");
  });

  it("takes a secret out of base64 with and without padding", () => {
    const secret = "ab?>c~";
    expect(Buffer.from(secret).toString("base64")).not.toBe(Buffer.from(secret).toString("base64url"));
    for (const encoding of ["base64", "base64url"] as const) {
      expect(redactorOf(secret).redact(Buffer.from(secret).toString(encoding))).toBe("[redacted]");
      const padded = redactorOf("12345").redact(Buffer.from("12345").toString(encoding));
      expect(padded.replaceAll("=", "")).toBe("[redacted]");
    }
  });

  it("takes a secret out of JSON, where it looks different", () => {
    const secret = 'a"b\\c\nd';
    const body = JSON.stringify({ secret });
    expect(redactorOf(secret).redact(body)).toBe('{"secret":"[redacted]"}');
    expect(redactorOf(secret).redact(JSON.stringify({ body }))).toBe(
      JSON.stringify({ body: '{"secret":"[redacted]"}' }),
    );
  });

  it.each([[["secret", "secret-and-more"]], [["secret-and-more", "secret"]]])(
    "leaves no rest of a secret that holds another (%j)",
    (secrets) => {
      expect(redactorOf(...secrets).redact("x secret-and-more y secret z")).toBe("x [redacted] y [redacted] z");
    },
  );

  it("leaves ordinary text alone, and ignores what is too short to be a secret", () => {
    expect(redactorOf("abc", "").redact("abcdef")).toBe("abcdef");
  });
});
