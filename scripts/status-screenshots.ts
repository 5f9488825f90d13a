import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type ContextOptions, type Page, startBrowser } from "../tools/browser/chromium.ts";

const USAGE = `Usage: node scripts/status-screenshots.ts --chromium PATH [--to FOLDER]

Takes the pictures of the status page for README and docs, from a demo that it starts. This takes some minutes, because the history needs a
second sample. scripts/install-test-programs.sh installs Chromium.
`;

const ROOT = new URL("../", import.meta.url);
const OPEN = /Open (http:\S+)/;
/** Limit for a picture. */
const MAX_BYTES = 250_000;

const DESK = { width: 1_100, height: 940 };
const PHONE = { width: 390, height: 844 };

interface Shot {
  readonly file: string;
  readonly look: ContextOptions;
  /** From the overview: what a reader clicks, and what appears then. */
  readonly clicks: readonly (readonly [link: string, awaited: string])[];
}

const SENSOR = ["#problems .objects tbody th a", "#chart"] as const;
const SHOTS: readonly Shot[] = [
  { file: "status-page.png", look: { colorScheme: "light", viewport: DESK }, clicks: [] },
  {
    file: "status-list.png",
    look: { colorScheme: "light", viewport: DESK },
    clicks: [['#problems p a[href*="search"]', "#results"]],
  },
  {
    file: "status-device.png",
    look: { colorScheme: "dark", viewport: DESK },
    clicks: [SENSOR, [".crumbs li:nth-last-child(2) a", "#below table"]],
  },
  {
    file: "status-sensor.png",
    look: { colorScheme: "light", viewport: DESK },
    clicks: [SENSOR, ["#chart button", "#chart svg"]],
  },
  { file: "status-phone.png", look: { colorScheme: "dark", viewport: PHONE }, clicks: [] },
];

const LOOK_EVERY_MS = 10_000;
const MAX_LOOKS = 30;

/** The history needs a second sample. Waits for a visible line. */
async function untilDrawn(page: Page, url: string): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    await page.goto(url);
    const points = await page.evaluate<number>(
      "(document.querySelector('.server [data-points]')?.dataset.points ?? '').split(' ').length",
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
  const browser = await startBrowser(chromium);
  try {
    const url = await openedAt(createInterface(demo.stdout));
    for (const { file, look, clicks } of SHOTS) {
      const context = await browser.newContext({ ...look, reducedMotion: "reduce" });
      const page = await context.newPage();
      await untilDrawn(page, url);
      for (const [link, awaited] of clicks) {
        await page.locator(link).first().click();
        await page.locator(awaited).first().waitFor();
      }
      const path = `${folder}${file}`;
      await page.screenshot({ path });
      const { size } = await stat(path);
      process.stdout.write(`${file}: ${size} bytes\n`);
      if (size > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES} bytes`);
    }
  } finally {
    await browser.close();
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
