import { readFile } from "node:fs/promises";
import { onTestFinished } from "vitest";
import { type Browser, type ContextOptions, type Page, tools } from "../../../tools/browser/chromium.ts";

interface WatchedPage {
  readonly page: Page;
  /** Console messages, errors, CSP violations, dialogs, foreign requests. */
  readonly complaints: string[];
}

/** Closed after the test. `origin`: allowed source. */
export async function openPage(browser: Browser, origin: string, options: ContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`fault: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push("dialog");
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:image/svg+xml,")) {
      complaints.push(`request: ${request.url()}`);
    }
  });
  return { page, complaints };
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
  readonly passes: readonly unknown[];
}

/** axe-core's findings, one line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Through the debugger: the page's policy blocks foreign scripts.
  await page.evaluate(await readFile(tools.resolve("axe-core/axe.min.js"), "utf8"));
  const { violations, passes } = await page.evaluate<AxeResults>("axe.run()");
  if (passes.length < 10) throw new Error("axe looked at nothing");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
