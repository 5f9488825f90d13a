import { readFile } from "node:fs/promises";
import { onTestFinished } from "vitest";
import { type Browser, type ContextOptions, type Page, tools } from "../../../tools/browser/chromium.ts";

/** A page, and everything in it that should not have happened. */
export interface WatchedPage {
  readonly page: Page;
  /** Messages on the console, faults, violations of the content security policy, dialogs, requests to elsewhere. */
  readonly complaints: string[];
}

/** A page for the length of a test; `origin` is where it may load from. */
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

/** What axe-core finds wrong with a page as it stands, one line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // By the debugger: the policy of the page lets no foreign script in.
  await page.evaluate(await readFile(tools.resolve("axe-core/axe.min.js"), "utf8"));
  const { violations, passes } = await page.evaluate<AxeResults>("axe.run()");
  if (passes.length < 10) throw new Error("axe looked at nothing");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
