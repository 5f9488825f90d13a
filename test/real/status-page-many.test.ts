import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WebServer } from "../../src/http/server/connection-handler.ts";
import { type Browser, startBrowser } from "../../tools/browser/chromium.ts";
import { startPageServer } from "../http/support/page-server.ts";
import { fakeServers } from "../support/fake-status-source.ts";
import { accessibilityFaults, openPage } from "./support/browser.ts";
import { describeWithPrograms } from "./support/programs.ts";

/** The default of `expect.poll` is one second. */
const PATIENT = { timeout: 30_000 };
const DESK = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };
const HOSTILE = `<img src=x onerror="window.harmed = 1"> ${"W".repeat(300)}`;
const QUICK_TIMERS = `const every = setInterval; window.setInterval = (call, ms) => every(call, ms / 20);`;

describeWithPrograms(["chromium"], "status page of 500 servers in Chromium", ({ chromium }) => {
  let web: WebServer;
  let browser: Browser;
  let base: string;

  beforeAll(async () => {
    const { web: started, url } = await startPageServer({ status: fakeServers(500, { said: HOSTILE }).source });
    web = started;
    base = `${url}/`;
    browser = await startBrowser(chromium);
  });

  afterAll(async () => {
    await browser?.close();
    await web?.close(0);
  });

  describe.each([
    ["light", DESK],
    ["dark", PHONE],
  ] as const)("in %s at %j", (colorScheme, viewport) => {
    test.each([
      ["the first page", ""],
      ["a name that no server has", "?find=nowhere"],
      ["a server that does not answer", "tree?server=customer+100"],
    ])("%s is accessible and fits, without errors", async (_name, path) => {
      const { page, complaints } = await openPage(browser, base, { colorScheme, viewport });
      await page.goto(base + path);
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      expect(await page.evaluate("window.harmed ?? null")).toBeNull();
      expect(complaints).toEqual([]);
    });
  });

  test("a working server takes one line on a desktop", async () => {
    const { page } = await openPage(browser, base, { viewport: DESK });
    await page.goto(`${base}?page=5`);
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll(".servers tbody tr")].map((row) => row.getBoundingClientRect().height)`,
    );
    expect(heights).toHaveLength(25);
    expect(Math.max(...heights)).toBeLessThan(45);
  });

  test("links lead to the next page, to a server and back, without a script", async () => {
    const { page, complaints } = await openPage(browser, base, { javaScriptEnabled: false });
    await page.goto(base);
    await page.locator('.pages a:text-is("Next")').click();
    await expect.poll(() => page.url(), PATIENT).toContain("page=2");
    await page.locator("#find").fill("customer 321");
    await page.locator("#find").press("Enter");
    await expect.poll(() => page.url(), PATIENT).toBe(`${base}?find=customer+321`);
    expect(await page.locator(".servers tbody tr").count()).toBe(1);
    await page.locator(".servers tbody a").click();
    await expect.poll(() => page.locator("h1").innerText(), PATIENT).toBe("customer 321");
    await page.locator("#below tbody th a").first().click();
    await page.locator(".crumbs a").last().click();
    await expect.poll(() => page.locator("#server-0 h3").first().innerText(), PATIENT).toMatch(/status history/i);
    await page.locator('.crumbs a:text-is("Overview")').click();
    await expect.poll(() => page.locator("h1").innerText(), PATIENT).toBe("500 servers");
    expect(complaints).toEqual([]);
  });

  test("typing finds servers, a refresh keeps the search, and clearing shows all", async () => {
    const { page, complaints } = await openPage(browser, base);
    await page.addInitScript(QUICK_TIMERS);
    await page.goto(`${base}?page=3`);
    await page.locator("#find").pressSequentially("customer 321");
    await expect.poll(() => page.locator(".servers tbody tr").count(), PATIENT).toBe(1);
    expect(page.url()).toBe(`${base}?find=customer+321`);
    const before = await page.locator("#as-of time").getAttribute("datetime");
    await expect.poll(() => page.locator("#as-of time").getAttribute("datetime"), PATIENT).not.toBe(before);
    expect(await page.locator(".servers tbody tr").count()).toBe(1);
    await page.locator("#find").fill("");
    await expect.poll(() => page.locator(".servers tbody tr").count(), PATIENT).toBe(25);
    expect(page.url()).toBe(base);
    expect(complaints).toEqual([]);
  });
});
