import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startPageServer } from "../test/http/support/page-server.ts";
import { fakeServers } from "../test/support/fake-servers.ts";
import { type ContextOptions, type Page, startBrowser } from "../tools/browser/chromium.ts";

const USAGE = `Usage: node scripts/status-screenshots.ts --chromium PATH [--to FOLDER]

Takes the pictures of the status page that the README shows: of a demo that it starts, and of 500 servers that there are not. It takes some minutes, as
statuses are drawn from the second minute on. scripts/install-test-programs.sh installs Chromium and what drives it.
`;

const ROOT = new URL("../", import.meta.url);
const OPEN = /Open (http:\S+)/;
/** Limit for a README picture. */
const MAX_BYTES = 150_000;

interface Picture {
  readonly file: string;
  readonly look: ContextOptions;
  /** `servers`: many invented servers. */
  readonly of: "demo" | "servers";
  /** Prepares the page for the screenshot. */
  readonly pose: (page: Page, url: string) => Promise<void>;
}

const PICTURES: readonly Picture[] = [
  {
    file: "status-page-servers.png",
    of: "servers",
    look: { colorScheme: "dark", viewport: { width: 1_100, height: 680 } },
    pose: async (page, url) => {
      await page.goto(url);
    },
  },
  {
    file: "status-page-sensor.png",
    of: "demo",
    look: { colorScheme: "dark", viewport: { width: 1_100, height: 860 } },
    pose: async (page, url) => {
      await page.goto(`${url}/search?status=warning`);
      await page.locator(".tree .row a").first().click();
      await page.locator(".ask button").click();
      await page.locator(".chart").first().waitFor();
      await page.evaluate("scrollTo(0, 0); document.activeElement.blur()");
    },
  },
  {
    file: "status-page-lines.png",
    of: "demo",
    look: { colorScheme: "light", viewport: { width: 1_100, height: 860 } },
    pose: async (page, url) => {
      await page.goto(`${url}/search?q=disk+free&status=up`);
      await page.locator(".tree .row a").first().click();
      await page.locator(".channels summary").first().click();
      await page.evaluate("document.activeElement.blur()");
    },
  },
  {
    file: "status-page.png",
    of: "demo",
    look: { colorScheme: "light", viewport: { width: 1_100, height: 940 } },
    pose: async (page, url) => {
      await page.goto(url);
      await untilDrawn(page, url);
    },
  },
];

const LOOK_EVERY_MS = 10_000;
const MAX_LOOKS = 30;

/** The history needs a second sample. Waits for a visible line. */
async function untilDrawn(page: Page, url: string): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    await page.goto(url);
    const points = await page.evaluate<number>(
      "(document.querySelector('.server .line.down')?.getAttribute('d') ?? '').split(' ').length",
    );
    if (points > 2) return;
    await setTimeout(LOOK_EVERY_MS);
  }
  throw new Error("no statuses were drawn");
}

const { values } = parseArgs({
  options: { chromium: { type: "string" }, to: { type: "string", default: "docs/images" }, help: { type: "boolean" } },
});
if (values.help || values.chromium === undefined) {
  process.stdout.write(USAGE);
  process.exitCode = values.help ? 0 : 1;
} else {
  await takePictures(values.chromium, fileURLToPath(new URL(`${values.to}/`, ROOT)));
}

async function takePictures(chromium: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const program = fileURLToPath(new URL("src/main.ts", ROOT));
  const demo = spawn(
    process.execPath,
    [program, "demo", "--web.listen-address", "127.0.0.1:0", "--log.level", "error"],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const many = await startPageServer({ status: fakeServers(500).source });
  const browser = await startBrowser(chromium);
  try {
    const urls = { demo: await openedAt(createInterface(demo.stdout)), servers: many.url };
    for (const { file, of, look, pose } of PICTURES) {
      const context = await browser.newContext({ reducedMotion: "reduce", ...look });
      const page = await context.newPage();
      await pose(page, urls[of]);
      const path = `${folder}${file}`;
      await page.screenshot({ path });
      await context.close();
      const { size } = await stat(path);
      process.stdout.write(`${file}: ${size} bytes\n`);
      if (size > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES} bytes`);
    }
  } finally {
    await browser.close();
    await many.web.close(0);
    demo.kill();
    await once(demo, "exit");
  }
}

async function openedAt(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const url = OPEN.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error("the demo ended");
}
