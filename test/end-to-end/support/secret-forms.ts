import { expect } from "vitest";

function formsOf(secret: string): string[] {
  const url = encodeURIComponent(secret);
  const bytes = Buffer.from(secret);
  const basic = Buffer.from(`user:${secret}`).toString("base64").replace(/=+$/, "");
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    url,
    url.toLowerCase(),
    url.replaceAll("%20", "+"),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
    basic,
  ];
}

export function expectWithout(secrets: readonly string[], text: string, where: string): void {
  for (const secret of secrets) {
    for (const form of formsOf(secret)) expect(text.includes(form), `${form} in ${where}`).toBe(false);
  }
}
