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
  ])("takes a secret out %s", (_where, text, clean) => {
    expect(redactorOf("abc+/=def").redact(text)).toBe(clean);
  });

  it("takes a secret out of JSON, where it looks different", () => {
    const secret = 'a"b\\c\nd';
    expect(redactorOf(secret).redact(JSON.stringify({ secret }))).toBe('{"secret":"[redacted]"}');
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
