import { pino } from "pino";
import type { SimNode, SimSensor } from "prtg-simulator/src/world/model.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRoutes } from "../../src/http/pages/routes.ts";
import { StatusReport } from "../../src/http/pages/status/report.ts";
import { startWebServer, type WebServer } from "../../src/http/server/connection-handler.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { type Browser, startBrowser } from "../../tools/browser/chromium.ts";
import { type SimulatedExporter, startSimulatedExporter } from "../support/simulated-exporter.ts";
import { accessibilityFaults, openPage } from "./support/browser.ts";
import { describeWithPrograms } from "./support/programs.ts";

/** Names that would run, load or restyle something as markup. */
const HOSTILE = [
  `<script>window.harmed = "script"</script>`,
  `<img src=x onerror="window.harmed = 'img'">`,
  `"><svg onload="window.harmed = 'svg'">`,
  `' onfocus='window.harmed = "focus"' autofocus='`,
  `</title></script></style><iframe srcdoc="<script>parent.harmed = 'frame'</script>">`,
  `javascript:window.harmed = 'link'`,
  `<a href="javascript:window.harmed = 'click'">click</a>`,
  `<style>* { display: none }</style><base href="https://evil.example/">`,
  `<form action="https://evil.example/"><button id=main>`,
];

/** Without break opportunities, written right to left. */
const LONG = `\u202e${"W".repeat(900)}`;

/** The default of `expect.poll` is one second. */
const PATIENT = { timeout: 30_000 };

describeWithPrograms(["chromium"], "status page in Chromium", ({ chromium }) => {
  let running: SimulatedExporter;
  let web: WebServer;
  let browser: Browser;
  let base: string;
  let sensors: readonly SimSensor[];
  /** Stopped simulated time, milliseconds. */
  let at: number;

  beforeAll(async () => {
    running = await startSimulatedExporter({
      size: { sensors: 600 },
      clock: systemClock,
      settings: "mapping: { presets: [base-units] }\n",
    });
    const { world } = running.simulator;
    at = Date.now();
    running.simulator.freezeAt(at);
    sensors = world.list("sensor");
    const victims = someOfEachKind();
    for (const [index, { id }] of victims.entries()) world.rename(id, HOSTILE[index % HOSTILE.length] ?? "");
    // Messages too, of sensors that are already victims.
    for (const [index, text] of HOSTILE.entries()) world.pause(sensors[index]?.id ?? "", at, text);
    world.pause(sensors[HOSTILE.length]?.id ?? "", at, LONG);
    await running.poll();
    const { exposition, status, debug } = running.exporter;
    web = await startWebServer({
      addresses: [{ host: "127.0.0.1", port: 0 }],
      log: pino({ level: "silent" }),
      routes: createRoutes({
        telemetryPath: "/metrics",
        exposition,
        status,
        debug,
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

  function someOfEachKind(): SimNode[] {
    const { world } = running.simulator;
    const kinds = [world.list("probe"), world.list("group"), world.list("device"), world.list("sensor")];
    return kinds.flatMap((nodes: readonly SimNode[]) => nodes.slice(0, HOSTILE.length));
  }

  /** Up, so that its channels have values. */
  function harmless(): SimSensor {
    const { world } = running.simulator;
    const usable = (sensor: SimSensor) => !HOSTILE.includes(sensor.name) && sensor.channels.length > 3;
    const sensor = sensors.find((each) => usable(each) && world.state(each, at).status === "up");
    if (sensor === undefined) throw new Error("no sensor");
    return sensor;
  }

  /** They expire some minutes after measurement, which earlier tests may take. */
  async function renewValues(): Promise<void> {
    at = Date.now();
    running.simulator.freezeAt(at);
    expect(await running.poll()).toBe(true);
  }

  /** Unvisited links of a page. */
  const LINKS = `[...document.querySelectorAll("main a")].map(({ href }) => href)`;

  describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
    test.each([
      ["the overview", () => base],
      ["a sensor", () => `${base}tree?id=${harmless().id}`],
      [
        "a filtered search",
        () => `${base}search?q=ping&status=down,warning,up&priority=3,4,5&tag=x&probe=y&sort=-since`,
      ],
      ["an unknown status", () => `${base}search?status=dwn`],
      ["the cardinality", () => `${base}debug/cardinality`],
      ["the explanation of a sensor", () => `${base}debug/explain?object=${harmless().id}`],
    ])("%s is accessible, without errors", async (_name, address) => {
      const { page, complaints } = await openPage(browser, base, { colorScheme });
      await page.goto(address());
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(complaints.filter((text) => !/status of 40[04]/.test(text))).toEqual([]);
    });
  });

  test("opened objects and search results are accessible", async () => {
    const { page, complaints } = await openPage(browser, base, {
      ...{ colorScheme: "dark", viewport: { width: 390, height: 844 } },
    });
    await page.goto(`${base}tree?id=${harmless().parent?.id}`);
    await page.locator(`tr[data-key="hq ${harmless().id}"] .opener`).click();
    await page.locator(".below table").waitFor();
    await page.locator(".below summary").first().click();
    await page.locator("#q").fill("ping");
    await page.locator("#found #results").waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  describe.each([
    [1280, "light", true],
    [390, "dark", false],
  ] as const)("at %i pixels in %s, script: %s", (width, colorScheme, javaScriptEnabled) => {
    const open = async (path: string) => {
      const watched = await openPage(browser, base, {
        ...{ colorScheme, javaScriptEnabled },
        viewport: { width, height: 844 },
      });
      await watched.page.goto(base + path);
      return watched;
    };

    test("the first screen shows the worst sensor, and its link works", async () => {
      const { page, complaints } = await open("");
      const worst = StatusReport.parse(await running.exporter.status.status()).problems.items[0];
      const row = page.locator(`#problems tbody tr[data-key="hq ${worst?.id}"]`);
      const bottom = await page.evaluate<number>(
        "document.querySelector('#problems tbody tr').getBoundingClientRect().bottom",
      );
      expect(bottom).toBeLessThan(844);
      await row.locator("th > a").click();
      await expect.poll(() => page.url(), PATIENT).toContain(`id=${worst?.id}`);
      expect(complaints).toEqual([]);
    });

    // On a phone a problem has several lines.
    if (width === 1280) {
      test("twenty problems fit on a screen", async () => {
        const { page } = await open("?view=single");
        const [heights, whole] = await page.evaluate<[number[], number]>(`{
          const table = document.querySelector("#problems .objects");
          const heightOf = (part) => part.getBoundingClientRect().height;
          [[...table.tBodies[0].rows].map(heightOf), heightOf(table)];
        }`);
        expect(heights).toHaveLength(20);
        expect(Math.max(...heights)).toBeLessThanOrEqual(40);
        expect(whole).toBeLessThanOrEqual(900);
        const path = page.locator("#problems .objects .path").first();
        await path.hover();
        await expect.poll(() => path.getAttribute("title"), PATIENT).toContain("/");
      });
    }

    test("links sort a list, and the form filters it", async () => {
      const { page, complaints } = await open("search?q=ping");
      await page.locator('.objects thead a:text-is("Priority")').click();
      await expect.poll(() => page.url(), PATIENT).toContain("sort=-priority");
      expect(await page.locator('.objects th[aria-sort="descending"]').innerText()).toContain("Priority");
      await page.locator('input[name="tag"]').fill("no such tag");
      await page.locator('.filters button:text-is("Filter")').click();
      await expect.poll(() => page.url(), PATIENT).toContain("tag=no+such+tag");
      expect(page.url()).toContain("q=ping");
      expect(page.url()).toContain("sort=-priority");
      expect(await page.locator("#results h1").innerText()).toMatch(/^0 objects for .ping., tag no such tag$/);
      expect(complaints).toEqual([]);
    });

    test("lists are a table or cards without a cut", async () => {
      const { page } = await open("search?status=down,warning,up");
      const cut = await page.evaluate<string[]>(
        `[...document.querySelectorAll("main tbody :is(th, td)")].filter((cell) => cell.scrollWidth > cell.clientWidth + 1 || cell.getBoundingClientRect().right > innerWidth).map((cell) => cell.textContent)`,
      );
      expect(cut).toEqual([]);
      const lefts = await page.evaluate<number[]>(
        `[...document.querySelectorAll("#results tbody tr[data-key] > th")].map((cell) => Math.round(cell.getBoundingClientRect().left))`,
      );
      expect(lefts).toHaveLength(50);
      expect(new Set(lefts).size).toBe(1);
    });
  });

  test("the tree opens in place from the root to a sensor", async () => {
    const { page, complaints } = await openPage(browser, base);
    await page.goto(base);
    const way: string[] = [];
    for (let at = harmless().parent; at?.parent !== undefined; at = at.parent) way.unshift(at.id);
    for (const id of [...way, harmless().id]) {
      const item = page.locator(`.tree-top tr[data-key="hq ${id}"]`);
      await item.locator(".opener").first().click();
      await page.locator(`.tree-top tr[data-key="hq ${id}"] + .inside .below`).first().waitFor();
      expect(await item.locator(".opener").first().getAttribute("aria-expanded")).toBe("true");
    }
    await page.locator(".opener").first().click();
    expect(await page.locator(`.tree-top tr[data-key="hq ${harmless().id}"]`).count()).toBe(0);
    expect(page.url()).toBe(base);
    expect(complaints).toEqual([]);
  });

  test("search works while typing and by Enter", async () => {
    const { page, complaints } = await openPage(browser, base);
    await page.goto(base);
    await page.locator("#q").pressSequentially(harmless().id);
    await page.locator(`#found tr[data-key="hq ${harmless().id}"]`).waitFor();
    expect(page.url()).toBe(base);
    await page.locator("#q").fill("");
    await page.locator("#found").waitFor({ state: "hidden" });
    await page.locator("#q").fill("no such thing anywhere");
    await page.locator("#q").press("Enter");
    // A search while typing may show the same text earlier.
    await expect.poll(() => page.url(), PATIENT).toContain("search?q=no+such+thing");
    await page.locator("main > section h1").waitFor();
    expect(await page.locator("#results h1").innerText()).toContain("0 objects");
    expect(complaints).toEqual([]);
  });

  test("search keeps the selected status while typing", async () => {
    const { page } = await openPage(browser, base);
    await page.goto(`${base}search?status=up`);
    await page.locator("#q").fill("zzz no such");
    await expect.poll(() => page.locator("#results h1").innerText(), PATIENT).toMatch(/^0 sensors .* in status Up$/);
  });

  test("a refresh keeps open objects open", async () => {
    const { page, complaints } = await openPage(browser, base);
    // The page's timers run twenty times faster.
    await page.addInitScript(`const every = setInterval; window.setInterval = (call, ms) => every(call, ms / 20);`);
    await page.goto(base);
    await page.locator("#exporter-details > summary").click();
    await page.locator("#server-work summary").click();
    await page.locator(".opener").first().click();
    await page.locator(".below").waitFor();
    const before = await page.locator("#as-of time").getAttribute("datetime");
    await expect.poll(() => page.locator("#as-of time").getAttribute("datetime"), PATIENT).not.toBe(before);
    expect(await page.locator("#server-work details[open]").count()).toBe(1);
    expect(await page.locator(".below").count()).toBe(1);
    const button = page.locator("#refresh");
    await button.click();
    expect(await button.getAttribute("aria-pressed")).toBe("false");
    expect(complaints).toEqual([]);
  });

  test("the page reports an unreachable exporter", async () => {
    const { page } = await openPage(browser, base);
    await page.addInitScript(`const every = setInterval; window.setInterval = (call, ms) => every(call, ms / 20);`);
    await page.goto(base);
    await page.evaluate("window.fetch = () => Promise.reject(new TypeError('gone'))");
    await page.locator(".out-of-reach #refresh").waitFor();
  });

  test("the keyboard alone is enough", async () => {
    const { page } = await openPage(browser, base);
    await page.goto(base);
    await page.locator("body").press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
    await page.locator(".skip").press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    await page.locator(".opener").first().focus();
    await page.locator(".opener").first().press("Enter");
    await page.locator(".below").waitFor();
    expect(await page.evaluate("document.activeElement.className")).toBe("opener");
  });

  test("the page fits a phone", async () => {
    const { page } = await openPage(browser, base, { viewport: { width: 360, height: 740 } });
    const long = [`${base}search?q=&status=pausedbyuser`, `${base}tree?id=${sensors[HOSTILE.length]?.id}`];
    for (const address of [
      base,
      `${base}tree?id=${harmless().id}`,
      `${base}tree?id=${harmless().parent?.id}`,
      `${base}search?q=a`,
      `${base}debug/cardinality`,
      `${base}debug/explain?object=${harmless().id}`,
      `${base}tree?id=${harmless().id}&chart=1`,
      ...long,
    ]) {
      await page.goto(address);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), address).toBeLessThanOrEqual(0);
    }
  });

  test("links and the search form work without a script", async () => {
    await renewValues();
    const { page, complaints } = await openPage(browser, base, { javaScriptEnabled: false });
    await page.goto(base);
    const way: string[] = [];
    for (
      let at: { readonly id: string; readonly parent: SimSensor["parent"] } | undefined = harmless();
      at?.parent !== undefined;
      at = at.parent
    ) {
      way.unshift(at.id);
    }
    for (const id of way) await page.locator(`main > section:not(#problems) tr[data-key="hq ${id}"] th > a`).click();
    await expect.poll(() => page.locator("h1").textContent(), PATIENT).toBe(harmless().name);
    await page.locator(".channels summary").first().click();
    expect(await page.locator(".channels .series code").first().innerText()).toContain(`sensor_id="${harmless().id}"`);
    await page.locator("#q").fill(harmless().id);
    await page.locator("#q").press("Enter");
    await expect.poll(() => page.url(), PATIENT).toContain("search?q=");
    await page.locator(`tr[data-key="hq ${harmless().id}"]`).waitFor();
    expect(await page.locator(".opener").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("hostile names stay text everywhere", async () => {
    const { page, complaints } = await openPage(browser, base);
    const harmed = () => page.evaluate<unknown>("window.harmed ?? null");
    const seen = new Set<string>();
    const said = new Set<string>();
    const pages = [
      base,
      `${base}search?q=harmed`,
      `${base}search?status=pausedbyuser`,
      `${base}search?q=${encodeURIComponent(HOSTILE[0] ?? "")}`,
      `${base}tree?id=${encodeURIComponent(HOSTILE[4] ?? "")}`,
      `${base}tree?id=${running.simulator.world.list("device")[0]?.id}`,
    ];
    for (const address of pages) {
      await page.goto(address);
      for (const text of await page.locator("h1, .objects th > a").allTextContents()) seen.add(text);
      for (const text of await page.locator(".said").allTextContents()) said.add(text);
      expect(await harmed(), address).toBeNull();
      for (const href of await page.evaluate<string[]>(LINKS)) expect(href).toMatch(/^https?:\/\/127\.0\.0\.1/);
      expect(
        await page.evaluate("document.querySelectorAll('main script, main style, main iframe, main img, base').length"),
      ).toBe(0);
    }
    expect([...seen].filter((name) => HOSTILE.includes(name)).length).toBeGreaterThan(3);
    for (const message of HOSTILE) expect([...said]).toContain(message);
    await page.goto(base);
    await page.locator("#q").pressSequentially("<script>window.harmed = 1</script>");
    await page.locator("#found #results").waitFor();
    expect(await harmed()).toBeNull();
    expect(complaints.filter((text) => !/status of 40[04]/.test(text))).toEqual([]);
  });

  test("the policy blocks inline and foreign scripts", async () => {
    const { page, complaints } = await openPage(browser, base);
    await page.goto(base);
    await page.evaluate(`{
      const inline = document.createElement("script");
      inline.textContent = "window.harmed = 'inline'";
      document.body.append(inline);
      document.body.setAttribute("onclick", "window.harmed = 'handler'");
      document.body.click();
    }`);
    await expect.poll(() => complaints.join("\n"), PATIENT).toContain("Content Security Policy");
    expect(await page.evaluate("window.harmed ?? null")).toBeNull();
  });
});
