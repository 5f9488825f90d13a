import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type ContextOptions, type Page, startBrowser } from "../tools/browser/chromium.ts";

const USAGE = `Usage: node scripts/status-screenshots.ts --chromium PATH [--to FOLDER]

Takes the picture of the status page in the README, from a demo that it starts. This takes some minutes, because the chart needs a second
sample. scripts/install-test-programs.sh installs Chromium.
`;

const ROOT = new URL("../", import.meta.url);
const OPEN = /Open (http:\S+)/;
/** Limit for a README picture. */
const MAX_BYTES = 150_000;

const FILE = "status-page.png";
const LOOK: ContextOptions = { colorScheme: "light", viewport: { width: 1_100, height: 940 }, reducedMotion: "reduce" };

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
  await takePicture(values.chromium, fileURLToPath(new URL(`${values.to}/`, ROOT)));
}

async function takePicture(chromium: string, folder: string): Promise<void> {
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
    const context = await browser.newContext(LOOK);
    const page = await context.newPage();
    await untilDrawn(page, url);
    const path = `${folder}${FILE}`;
    await page.screenshot({ path });
    const { size } = await stat(path);
    process.stdout.write(`${FILE}: ${size} bytes\n`);
    if (size > MAX_BYTES) throw new Error(`${FILE} is larger than ${MAX_BYTES} bytes`);
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
