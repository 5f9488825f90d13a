import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** What is used of playwright-core, which has an install of its own (tools/browser) and so cannot be imported by name. */
export interface Browser {
  newContext(options: ContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

export interface ContextOptions {
  readonly colorScheme?: "light" | "dark";
  readonly javaScriptEnabled?: boolean;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly deviceScaleFactor?: number;
  readonly reducedMotion?: "reduce";
  /** Such as `Europe/Berlin`. */
  readonly timezoneId?: string;
}

export interface BrowserContext {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

export interface Page {
  goto(url: string): Promise<unknown>;
  url(): string;
  title(): Promise<string>;
  locator(selector: string): Locator;
  readonly keyboard: { press(key: string): Promise<void> };
  evaluate<Result>(expression: string): Promise<Result>;
  addInitScript(script: string): Promise<unknown>;
  screenshot(options: { readonly path?: string; readonly fullPage?: boolean }): Promise<Buffer>;
  on(event: "console", listener: (message: { type(): string; text(): string }) => void): unknown;
  on(event: "pageerror", listener: (error: Error) => void): unknown;
  on(event: "request", listener: (request: { url(): string }) => void): unknown;
  on(event: "dialog", listener: (dialog: { dismiss(): Promise<void> }) => void): unknown;
}

export interface Locator {
  click(): Promise<void>;
  /** `position`: pixels from the left top corner. */
  hover(options?: { readonly position?: { readonly x: number; readonly y: number } }): Promise<void>;
  fill(text: string): Promise<void>;
  focus(): Promise<void>;
  press(key: string): Promise<void>;
  pressSequentially(text: string): Promise<void>;
  waitFor(options?: { readonly state?: "visible" | "hidden" | "detached" }): Promise<void>;
  innerText(): Promise<string>;
  textContent(): Promise<string | null>;
  allTextContents(): Promise<string[]>;
  getAttribute(name: string): Promise<string | null>;
  count(): Promise<number>;
  first(): Locator;
  last(): Locator;
  nth(index: number): Locator;
  locator(selector: string): Locator;
}

/** Finds what is installed here; throws where `npm ci` in this folder was not run. */
export const tools = createRequire(new URL("./package.json", import.meta.url));

/** Starts Chromium without a window. */
export async function startBrowser(executablePath: string): Promise<Browser> {
  const { default: playwright } = await import(pathToFileURL(tools.resolve("playwright-core")).href);
  // The sandbox of Chromium refuses to run as root, which containers of CI are; it opens nothing but our own page.
  return playwright.chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
}
