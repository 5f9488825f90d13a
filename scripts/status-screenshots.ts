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

interface Picture {
  readonly file: string;
  readonly look: ContextOptions;
  /** Prepares the page for the screenshot. */
  readonly pose: (page: Page, url: string) => Promise<void>;
}

const PICTURES: readonly Picture[] = [
  {
    file: "status-page.png",
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
  const browser = await startBrowser(chromium);
  try {
    const url = await openedAt(createInterface(demo.stdout));
    for (const { file, look, pose } of PICTURES) {
      const context = await browser.newContext({ reducedMotion: "reduce", ...look });
      const page = await context.newPage();
      await pose(page, url);
      const path = `${folder}${file}`;
      await page.screenshot({ path });
      await context.close();
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
