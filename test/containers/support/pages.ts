import { expect, vi } from "vitest";

export async function waitForPage(url: string, pattern: RegExp, limitMs = 60_000): Promise<string> {
  return await vi.waitFor(
    async () => {
      const response = await fetch(url);
      const text = await response.text();
      expect(response.status, text).toBe(200);
      expect(text).toMatch(pattern);
      return text;
    },
    { timeout: limitMs, interval: 100 },
  );
}
