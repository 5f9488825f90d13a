import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, type Page, startBrowser } from "../../tools/browser/chromium.ts";
import { PAGES, ROOT } from "../docs/support/pages.ts";
import { describeWithPrograms } from "./support/programs.ts";

const LIBRARY = `${ROOT}docs/node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js`;

const DIAGRAMS = PAGES.flatMap(({ file, blocks }) =>
  blocks.filter(({ language }) => language === "mermaid").map(({ text }) => ({ file, text })),
);

describeWithPrograms(["chromium"], "Mermaid diagrams", ({ chromium }) => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await startBrowser(chromium);
    page = await (await browser.newContext({})).newPage();
    const library = JSON.stringify(readFileSync(LIBRARY, "utf8"));
    await page.evaluate(`document.head.append(Object.assign(document.createElement("script"), { text: ${library} }))`);
  });

  afterAll(() => browser?.close());

  const draw = (text: string) =>
    page.evaluate<string>(`mermaid.render("diagram", ${JSON.stringify(text)}).then(({ svg }) => svg)`);

  test("exist", () => {
    expect(new Set(DIAGRAMS.map(({ file }) => file)).size).toBeGreaterThanOrEqual(4);
  });

  test.each(DIAGRAMS)("draw $file", async ({ text }) => {
    expect(await draw(text)).toMatch(/^<svg /);
  });

  test("fail if one is wrong", async () => {
    await expect(draw("flowchart LR\n  a --> ")).rejects.toThrow(/Parse error/);
  });
});
