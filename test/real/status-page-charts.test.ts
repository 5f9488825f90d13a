import { pino } from "pino";
import type { SimSensor } from "prtg-simulator/src/world/model.ts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createRoutes } from "../../src/http/pages/routes.ts";
import { courseView } from "../../src/http/pages/status/course-view.ts";
import { startWebServer, type WebServer } from "../../src/http/server/connection-handler.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type Browser, type Page, startBrowser } from "../../tools/browser/chromium.ts";
import { courseOf } from "../http/pages/status/drawings.ts";
import { type SimulatedExporter, startSimulatedExporter } from "../support/simulated-exporter.ts";
import { accessibilityFaults, openPage } from "./support/browser.ts";
import { describeWithPrograms } from "./support/programs.ts";

/** The default of `expect.poll` is one second. */
const PATIENT = { timeout: 30_000 };
const DESK = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const QUICK_TIMERS = `const every = setInterval; window.setInterval = (call, ms) => every(call, ms / 20);`;
const LOOKS = [
  ["light", DESK],
  ["dark", PHONE],
] as const;

describeWithPrograms(["chromium"], "charts, sensors and keys in Chromium", ({ chromium }) => {
  let running: SimulatedExporter;
  let web: WebServer;
  let browser: Browser;
  let base: string;
  let sensor: SimSensor;

  beforeAll(async () => {
    running = await startSimulatedExporter({ size: { sensors: 300 }, clock: systemClock });
    const { world } = running.simulator;
    const at = Date.now();
    running.simulator.freezeAt(at);
    const up = (each: SimSensor) => world.state(each, at).status === "up";
    const found = world
      .list("sensor")
      .find((each) => each.channels.length > 3 && each.channels.some(({ limits }) => limits) && up(each));
    if (found === undefined) throw new Error("no sensor");
    sensor = found;
    expect(await running.poll()).toBe(true);
    const { exposition, status, debug } = running.exporter;
    web = await startWebServer({
      addresses: [{ host: "127.0.0.1", port: 0 }],
      log: pino({ level: "silent" }),
      routes: createRoutes({
        ...{ telemetryPath: "/metrics", exposition, status, debug },
        isReady: () => true,
        served: () => undefined,
      }),
    });
    base = `${web.urls[0]}/`;
    browser = await startBrowser(chromium);
  });

  afterAll(async () => {
    await browser?.close();
    await web?.close(0);
    await running?.close();
  });

  const sensorPage = () => `${base}tree?id=${sensor.id}`;
  const chartPage = () => `${sensorPage()}&chart=1`;
  const devicePage = () => `${base}tree?id=${sensor.parent?.id}`;
  const focused = (page: Page) => page.evaluate<string>("document.activeElement.href ?? document.activeElement.id");

  /** Puts a history on the page, as if the exporter had run for some minutes. */
  async function addHistory(page: Page): Promise<void> {
    const history = courseView(courseOf([1, 2, 3, undefined, undefined, 0, 2, 2]), "hq", "drawn");
    await page.evaluate(`(() => {
      const found = new DOMParser().parseFromString(${JSON.stringify(`<div id="drawn">${history}</div>`)}, "text/html");
      document.querySelector("#chart").append(document.adoptNode(found.querySelector("#drawn")));
      document.dispatchEvent(new Event("fresh"));
    })()`);
  }

  describe.each(LOOKS)("in %s at %j", (colorScheme, viewport) => {
    const look = { colorScheme, viewport, timezoneId: "Asia/Kolkata" };

    it("shows charts and histories that fit and are accessible", async () => {
      const { page, complaints } = await openPage(browser, base, look);
      await page.goto(chartPage());
      await addHistory(page);
      await page.locator(".drawing summary").first().click();
      await page.locator(".cursor").first().focus();
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      const sizes = await page.evaluate<{ width: number; height: number }[]>(
        `[...document.querySelectorAll(".chart")].map((chart) => chart.getBoundingClientRect().toJSON())`,
      );
      expect(sizes.length).toBeGreaterThan(5);
      for (const { width, height } of sizes) expect([width > viewport.width / 2, height > 40]).toEqual([true, true]);
      expect(complaints).toEqual([]);
    });

    it("keeps the marks of an axis apart and inside the chart", async () => {
      const { page } = await openPage(browser, base, look);
      await page.goto(chartPage());
      const outside = await page.evaluate<string[]>(`[...document.querySelectorAll(".times")].flatMap((times) => {
        const marks = [...times.children].map((mark) => [mark.textContent, mark.getBoundingClientRect()]);
        const { left, right } = times.getBoundingClientRect();
        return marks.filter(([, box], index) =>
          box.left < left - 1 || box.right > right + 1 || (index > 0 && box.left < marks[index - 1][1].right + 4),
        ).map(([text]) => text);
      })`);
      expect(outside).toEqual([]);
      expect(await page.locator(".times").first().locator("text").count()).toBeGreaterThanOrEqual(4);
    });

    it("lists the keys accessibly, and closes the list with Escape", async () => {
      const { page, complaints } = await openPage(browser, base, look);
      await page.goto(sensorPage());
      await page.keyboard.press("?");
      await page.locator("dialog.keys[open]").waitFor();
      expect(await page.locator("dialog.keys").innerText()).toContain("Open the row");
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.locator("dialog.keys").waitFor({ state: "hidden" });
      expect(complaints).toEqual([]);
    });
  });

  it("shows charts without a script, in UTC and without buttons that need it", async () => {
    const options = { javaScriptEnabled: false, timezoneId: "Asia/Kolkata" };
    const { page, complaints } = await openPage(browser, base, options);
    await page.goto(sensorPage());
    await page.locator(".ask button").click();
    await page.locator(".chart").first().waitFor();
    expect(await page.locator(".zone").first().innerText()).toBe("UTC");
    await page.locator(".drawing summary").first().click();
    expect(await page.locator(".drawing tbody tr").first().innerText()).toMatch(/^\d\d:\d\d\s/);
    expect(await page.locator(".copy, .cursor, #utc, dialog").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  describe("values of a chart", () => {
    it("appear with their time under the pointer", async () => {
      const { page } = await openPage(browser, base, { viewport: DESK, timezoneId: "Asia/Kolkata" });
      await page.goto(chartPage());
      const [cursor, tip] = [page.locator(".cursor").first(), page.locator(".cursor .tip").first()];
      await cursor.hover({ position: { x: 300, y: 40 } });
      const early = await tip.innerText();
      expect(early).toMatch(/^\d\d:\d\d:\d\d: [\d.,]+/);
      await cursor.hover({ position: { x: 800, y: 40 } });
      expect(await tip.innerText()).not.toBe(early);
      await page.locator("h1").hover();
      await tip.waitFor({ state: "hidden" });
    });

    it("appear by arrow keys, one after the other, for screen readers too", async () => {
      const { page } = await openPage(browser, base, { viewport: DESK });
      await page.goto(chartPage());
      const cursor = page.locator(".cursor").first();
      const spoken = () => cursor.getAttribute("aria-valuetext");
      await cursor.focus();
      await page.locator(".cursor .tip").first().waitFor();
      const last = await spoken();
      await cursor.press("ArrowLeft");
      const before = await spoken();
      expect(before).not.toBe(last);
      await cursor.press("ArrowRight");
      expect(await spoken()).toBe(last);
      await cursor.press("Home");
      expect(await cursor.getAttribute("aria-valuenow")).toBe("0");
      expect(await page.locator(".cursor .tip").first().innerText()).toBe(await spoken());
      // The last value of the table is the last value of the chart.
      await cursor.press("End");
      const drawn = page.locator(".drawing").first();
      await drawn.locator("summary").click();
      const [, lowest = "", highest = ""] = (await drawn.locator("tbody tr").last().innerText()).split(/\s+/);
      const value = Number(/: ([\d.,]+)/.exec(last ?? "")?.[1]?.replaceAll(",", ""));
      expect(value).toBeGreaterThanOrEqual(Number(lowest.replaceAll(",", "")) - 0.1);
      expect(value).toBeLessThanOrEqual(Number(highest.replaceAll(",", "")) + 0.1);
    });
  });

  it("shows times in the reader's zone, in UTC on demand, and remembers it", async () => {
    const { page, complaints } = await openPage(browser, base, { timezoneId: "Asia/Kolkata" });
    await page.goto(chartPage());
    const times = () => page.locator(".times text").allTextContents();
    expect(await page.locator(".zone").first().innerText()).toBe("GMT+5:30");
    const local = await times();
    expect(local[0]).toMatch(/:30$/);
    await page.locator("#utc").click();
    const utc = await times();
    expect(utc[0]).toMatch(/:00$/);
    expect(await page.locator(".zone").first().innerText()).toBe("UTC");
    expect(await page.locator(".cursor").first().getAttribute("aria-valuetext")).toMatch(/^\d\d:\d\d:\d\d: /);
    await page.goto(chartPage());
    expect(await page.locator("#utc").getAttribute("aria-pressed")).toBe("true");
    expect(await times()).toEqual(utc);
    await page.locator("#utc").click();
    expect(await times()).toEqual(local);
    expect(complaints).toEqual([]);
  });

  it("shows the charts of a sensor that is down without a click, and lists that fit on a tablet", async () => {
    const { world } = running.simulator;
    const victim = world.list("sensor").find((each) => each !== sensor && each.channels.length > 3);
    if (victim === undefined) throw new Error("no sensor");
    const at = Date.now();
    world.force(victim.id, "down", at);
    running.simulator.freezeAt(at + 600_000);
    onTestFinished(async () => {
      world.force(victim.id, "up", at + 600_000);
      await running.poll();
    });
    expect(await running.poll()).toBe(true);
    for (const width of [768, 390]) {
      const { page, complaints } = await openPage(browser, base, { viewport: { width, height: 900 } });
      await page.goto(`${base}tree?id=${victim.id}`);
      await page.locator("#chart .chart").first().waitFor();
      expect(await page.locator("rect.down").count()).toBeGreaterThan(0);
      expect(await accessibilityFaults(page)).toEqual([]);
      for (const path of ["", `tree?id=${victim.id}`, `tree?id=${victim.parent?.id}`, "tree", "search?q=s"]) {
        await page.goto(`${base}${path}`);
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      }
      expect(complaints).toEqual([]);
    }
  });

  it("offers no switch to a reader in UTC, or without times of day", async () => {
    const { page: utc } = await openPage(browser, base, { timezoneId: "UTC" });
    await utc.goto(chartPage());
    await utc.locator(".cursor").first().waitFor();
    expect(await utc.locator("#utc").count()).toBe(0);
    const { page: plain } = await openPage(browser, base, { timezoneId: "Asia/Kolkata" });
    await plain.goto(`${base}search?q=nothing-has-this-name`);
    await plain.locator("#refresh").waitFor();
    expect(await plain.locator("#utc").count()).toBe(0);
  });

  it("requests nothing from PRTG on a refresh, and keeps charts, sparklines and copy buttons", async () => {
    const asked = () => running.simulator.requests.count({ route: "/experimental/timeseries/{id}/{type}" });
    const { page, complaints } = await openPage(browser, base);
    await page.addInitScript(QUICK_TIMERS);
    await page.goto(sensorPage());
    await page.locator(".ask button").click();
    await page.locator(".chart").first().waitFor();
    const counts = () =>
      page.evaluate<number[]>(
        `[".chart", ".channels .spark", ".cursor", ".copy"].map((each) => document.querySelectorAll(each).length)`,
      );
    const [requests, drawn] = [asked(), await counts()];
    expect(Math.min(...drawn)).toBeGreaterThan(1);
    // Cached for a minute, so the count alone proves nothing.
    const addresses: string[] = [];
    page.on("request", (request) => addresses.push(request.url()));
    const before = await page.locator("#as-of time").getAttribute("datetime");
    await expect.poll(() => page.locator("#as-of time").getAttribute("datetime"), PATIENT).not.toBe(before);
    expect(addresses).toContain(`${base}tree?server=hq&id=${sensor.id}`);
    expect(addresses.filter((address) => address.includes("chart="))).toEqual([]);
    expect(asked()).toBe(requests);
    await expect.poll(counts, PATIENT).toEqual(drawn);
    expect(complaints).toEqual([]);
  });

  describe("copy buttons", () => {
    it("copy id, selector and PromQL, and say so", async () => {
      const { page, complaints } = await openPage(browser, base);
      await page.addInitScript(
        `Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } });`,
      );
      await page.goto(sensorPage());
      const copied = async (name: string) => {
        const button = page.locator(`button[aria-label^="${name}"]`).first();
        await button.click();
        await expect.poll(() => button.innerText(), PATIENT).toBe("Copied");
        return page.evaluate<string>("window.copied");
      };
      expect(await copied("Copy id")).toBe(sensor.id);
      expect(await copied("Copy selector")).toBe(`{server="hq", sensor_id="${sensor.id}"}`);
      expect(await copied("Copy PromQL")).toMatch(/^prtg_\w+\{server="hq", sensor_id="\d+", channel_id="-?\d+"\}$/);
      expect(complaints).toEqual([]);
    });

    it("select the text if the browser gives no clipboard", async () => {
      const { page } = await openPage(browser, base);
      await page.addInitScript(
        `Object.defineProperty(navigator, "clipboard", { value: undefined }); document.execCommand = () => false;`,
      );
      await page.goto(sensorPage());
      const button = page.locator(`button[aria-label^="Copy PromQL"]`).first();
      await button.click();
      await expect.poll(() => button.innerText(), PATIENT).toBe("Press Ctrl+C");
      expect(await page.evaluate("String(getSelection())")).toMatch(/^prtg_\w+\{server="hq"/);
    });
  });

  describe("keys", () => {
    async function open(address: string) {
      const { page, complaints } = await openPage(browser, base);
      await page.goto(address);
      await page.locator("footer kbd").waitFor();
      onTestFinished(() => expect(complaints).toEqual([]));
      return page;
    }

    it("move through rows and open them", async () => {
      const page = await open(devicePage());
      const links = await page.evaluate<string[]>(
        `[...document.querySelectorAll("#below tbody th a")].map(({ href }) => href)`,
      );
      expect(links.length).toBeGreaterThan(2);
      await page.keyboard.press("j");
      expect(await focused(page)).toBe(links[0]);
      await page.keyboard.press("j");
      expect(await focused(page)).toBe(links[1]);
      await page.keyboard.press("k");
      await page.keyboard.press("k");
      expect(await focused(page)).toBe(links[0]);
      await page.keyboard.press("Enter");
      await expect.poll(() => page.url(), PATIENT).toBe(links[0]);
    });

    it("open the current row, or the object of the page, in PRTG", async () => {
      const page = await open(devicePage());
      await page.evaluate(`document.addEventListener("click", (event) => {
        event.preventDefault();
        window.opened = event.target.closest("a.prtg")?.href;
      })`);
      const opened = async () => {
        await page.keyboard.press("o");
        return page.evaluate<string>("window.opened");
      };
      expect(await opened()).toContain(`id=${sensor.parent?.id}`);
      await page.keyboard.press("j");
      expect(await opened()).toBe(await page.locator("#below tbody a.prtg").first().getAttribute("href"));
    });

    it("focus the search, where they are text", async () => {
      const page = await open(devicePage());
      await page.keyboard.press("/");
      expect(await focused(page)).toBe("q");
      for (const key of ["/", "j", "o", "?"]) await page.keyboard.press(key);
      expect(await page.evaluate("document.activeElement.value")).toBe("/jo?");
      expect(await page.locator("dialog.keys[open]").count()).toBe(0);
    });

    it("are off with modifiers", async () => {
      const page = await open(devicePage());
      for (const key of ["Control+j", "Alt+j", "Meta+j"]) await page.keyboard.press(key);
      expect(await page.evaluate("document.activeElement.tagName")).toBe("BODY");
    });
  });
});
