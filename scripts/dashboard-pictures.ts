import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs, promisify } from "node:util";
import type { Picture } from "../dashboards/pictures/src/picture.ts";
import { GRAFANA_DASHBOARDS } from "../test/support/grafana-dashboards.ts";
import { startBrowser } from "../tools/browser/chromium.ts";
import { pictureOf } from "./pictures/answers.ts";
import { PrometheusQueries } from "./pictures/queries.ts";

const USAGE = `Usage: node scripts/dashboard-pictures.ts --chromium PATH --prometheus URL [--minutes N] [--to FOLDER]

Takes a picture of each Grafana dashboard, with data from a Prometheus that scrapes an exporter. Grafana's own libraries draw the panels
(dashboards/pictures, with its own install). scripts/install-test-programs.sh installs Chromium.
`;

const TOOL = fileURLToPath(new URL("../dashboards/pictures/", import.meta.url));
const VIEWPORT = { width: 1_600, height: 1_300 };
/** Charts and tables need time for sizes and fonts. */
const SETTLE_MS = 3_000;
/** Limit for a README picture. */
const MAX_BYTES = 250_000;
const COMMONJS = [
  ["data/unstable", "data/dist/cjs/unstable.cjs"],
  ["data", "data/dist/cjs/index.cjs"],
  ["ui", "ui/dist/cjs/index.cjs"],
] as const;
const run = promisify(execFile);

const { values } = parseArgs({
  options: {
    chromium: { type: "string" },
    prometheus: { type: "string" },
    minutes: { type: "string", default: "30" },
    to: { type: "string", default: "docs/images" },
    help: { type: "boolean" },
  },
});
if (values.help || values.chromium === undefined || values.prometheus === undefined) {
  process.stdout.write(USAGE);
  process.exitCode = values.help ? 0 : 1;
} else {
  const to = Date.now();
  const from = to - Number(values.minutes) * 60_000;
  const queries = new PrometheusQueries(values.prometheus, { from, to });
  const pictures = new Map<string, Picture>();
  for (const dashboard of GRAFANA_DASHBOARDS) {
    const name = `dashboard-${dashboard.file.replace(/^prtg-|\.json$/g, "")}.png`;
    pictures.set(name, await pictureOf(dashboard, queries));
  }
  await take(pictures, values.chromium, values.to);
}

async function take(pictures: ReadonlyMap<string, Picture>, chromium: string, folder: string): Promise<void> {
  const work = await mkdtemp(path.join(tmpdir(), "dashboard-pictures-"));
  const browser = await startBrowser(chromium);
  try {
    await bundle(work);
    await mkdir(folder, { recursive: true });
    for (const [name, picture] of pictures) {
      const page = path.join(work, `${name}.html`);
      await writeFile(page, html(picture));
      const context = await browser.newContext({ viewport: VIEWPORT });
      const tab = await context.newPage();
      tab.on("pageerror", (error) => {
        throw error;
      });
      await tab.goto(pathToFileURL(page).href);
      await tab.locator("section").first().waitFor();
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      const file = path.join(folder, name);
      await tab.screenshot({ path: file });
      await context.close();
      const { size } = await stat(file);
      process.stdout.write(`${file}: ${size} bytes\n`);
      if (size > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES} bytes`);
    }
  } finally {
    await browser.close();
    await rm(work, { recursive: true });
  }
}

/** `page.js` and `page.css`, with dependencies. */
async function bundle(folder: string): Promise<void> {
  const installed = await access(`${TOOL}node_modules`).then(
    () => true,
    () => false,
  );
  if (!installed) await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: TOOL });
  await run(`${TOOL}node_modules/.bin/esbuild`, [
    `${TOOL}src/main.tsx`,
    "--bundle",
    "--minify",
    "--jsx=automatic",
    // Their ES modules need default exports of CommonJS unwrapped. esbuild does not.
    ...COMMONJS.map(([name, file]) => `--alias:@grafana/${name}=${TOOL}node_modules/@grafana/${file}`),
    "--define:process.env.NODE_ENV='production'",
    "--loader:.ttf=dataurl",
    "--loader:.woff=dataurl",
    "--loader:.woff2=dataurl",
    "--loader:.svg=dataurl",
    `--outfile=${path.join(folder, "page.js")}`,
  ]);
}

function html(picture: Picture): string {
  const data = JSON.stringify(picture).replaceAll("<", "\\u003c");
  return `<!doctype html><meta charset="utf-8"><title>Dashboard</title><link rel="stylesheet" href="page.css"><div id="root"></div>
<script>window.picture = ${data};</script><script src="page.js"></script>`;
}
