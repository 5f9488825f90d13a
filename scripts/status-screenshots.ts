import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type ContextOptions, type Page, startBrowser } from "../tools/browser/chromium.ts";

const USAGE = `Usage: node scripts/status-screenshots.ts --chromium PATH [--to FOLDER]

Takes the pictures of the status page that the README shows, of a demo that it starts. scripts/install-test-programs.sh
installs Chromium and what drives it.
`;

const ROOT = new URL("../", import.meta.url);
const OPEN = /Open (http:\S+)/;
/** What a picture in a README may weigh. */
const MAX_BYTES = 150_000;

interface Picture {
  readonly file: string;
  readonly look: ContextOptions;
  /** Brings the page to what is to be seen. */
  readonly pose: (page: Page, url: string) => Promise<void>;
}

const PICTURES: readonly Picture[] = [
  {
    file: "status-page.png",
    look: { colorScheme: "light", viewport: { width: 1_100, height: 940 } },
    pose: async (page, url) => {
      await page.goto(url);
      await page.locator(".tree-top .opener").first().click();
      await page.locator(".below").waitFor();
      await page.locator(".below .opener").first().click();
      await page.locator(".below .below").waitFor();
      await page.evaluate("document.activeElement.blur()");
    },
  },
  {
    file: "status-page-sensor.png",
    look: { colorScheme: "dark", viewport: { width: 1_100, height: 860 } },
    pose: async (page, url) => {
      await page.goto(`${url}/search?q=disk+free`);
      await page.locator('.row:has(.kind:text-is("sensor")) a').first().click();
      await page.locator(".channels summary").first().click();
      await page.evaluate("document.activeElement.blur()");
    },
  },
];

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
