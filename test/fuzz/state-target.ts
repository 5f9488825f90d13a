import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JOURNAL_FORMAT, OutputFolder, PUSH_BEGIN } from "../../src/backfill/output-folder.ts";
import { ExporterError } from "../../src/errors/exporter-error.ts";
import { encodeWatermarks, Watermarks } from "../../src/measurements/watermarks.ts";
import type { StateFiles } from "../../src/state/state-files.ts";
import { mutateJson } from "./mutate-json.ts";
import { mutateText, type TextSource } from "./mutate-text.ts";
import { pick } from "./random.ts";
import { type FuzzInput, type FuzzTarget, promise } from "./target.ts";

const SERVER = "hq";
const AT = Date.UTC(2026, 2, 12);

const RUN = {
  parameters: {
    ...{ server: SERVER, from: "60d", to: "1d", resolution: "auto", labels: ["job=prtg"], paths: ["Berlin/**"] },
    ...{ kinds: [], tags: ["wan"], configured: { labels: "x", mapping: "y" } },
  },
  ...{ from: AT, to: AT + 86_400_000, startedAt: AT, sensors: 3, series: 9 },
};
const JOURNAL = {
  format: JOURNAL_FORMAT,
  finished: [{ ...RUN, finishedAt: AT, samples: 5, files: ["prtg-2026-03-12.om"] }],
  unfinished: {
    ...RUN,
    spans: [{ type: "medium", from: AT, to: AT + 1 }],
    done: ["2490"],
    samples: 4,
    parts: [[20_524, 4_096]],
    files: [{ name: "prtg-2026-03-12.om", samples: 2 }],
  },
};
const MEMBERS = [
  "format",
  "finished",
  "unfinished",
  "parts",
  "files",
  "push",
  "days",
  "rows",
  "crc32",
  "server",
  "__proto__",
];

const WATERMARKS: TextSource = {
  corpus: [
    encodeWatermarks(SERVER, new Map()),
    encodeWatermarks(
      SERVER,
      new Map([
        ["2490", AT],
        ["2491", AT + 60_000],
        ["__proto__", 1],
      ]),
    ),
    encodeWatermarks('other "server"', new Map([["1", AT]])),
  ],
  words: ["\n", '"version":2', '"sensors":1', '{"1":1}', "\0\0\0\0", '"crc32":0'],
};
const JOURNALS: TextSource = { corpus: [JSON.stringify(JOURNAL)], words: MEMBERS.map((name) => `"${name}":`) };
const CURSORS: TextSource = { corpus: [JSON.stringify(PUSH_BEGIN)], words: JOURNALS.words };

/** Changed by another program or a crash. */
export function openStateTarget(): FuzzTarget {
  const folder = mkdtempSync(join(tmpdir(), "prtg-exporter-fuzz-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return {
    name: "state",
    draw: (random) => {
      // A real folder costs a hundred times more.
      const share = random();
      if (share < 0.98) return { variant: "watermarks", text: mutateText(random, WATERMARKS) };
      const [variant, source, value] =
        share < 0.99 ? (["journal", JOURNALS, JOURNAL] as const) : (["cursor", CURSORS, PUSH_BEGIN] as const);
      const text = pick(random, [true, false])
        ? JSON.stringify(mutateJson(random, value, MEMBERS))
        : mutateText(random, source);
      return { variant, text };
    },
    run: (input) => (input.variant === "watermarks" ? runWatermarks(input.text) : runFolder(folder, input)),
  };
}

/** A bad file is set aside. A good one survives write and read. */
async function runWatermarks(text: string): Promise<void> {
  const files = new Map<string, string>();
  const aside: string[] = [];
  const store: StateFiles = {
    read: async (name) => files.get(name) ?? text,
    write: async (name, content) => void files.set(name, content),
    rename: async (from, to) => {
      if (!files.has(from)) aside.push(to);
      files.set(to, files.get(from) ?? "");
    },
    syncDirectory: async () => undefined,
  };
  const { report, ...marks } = await openedWatermarks(store);
  promise(report.found === "good" ? aside.length === 0 : aside.length === 1, "a file is used or set aside");
  promise(report.found === "good" || marks.entries.length === 0, "what cannot be used tells nothing");
  promise(
    marks.entries.every(([, { until }]) => Number.isSafeInteger(until)),
    "watermarks are times",
  );
}

async function openedWatermarks(store: StateFiles) {
  const marks = await Watermarks.open(SERVER, store);
  return { report: marks.report, entries: [...marks.entries()] };
}

/** Foreign files are rejected as damaged. */
async function runFolder(path: string, { variant, text }: FuzzInput): Promise<void> {
  const file = variant === "cursor" ? join(path, "unfinished", "pushed.json") : join(path, "journal.json");
  mkdirSync(join(path, "unfinished"), { recursive: true });
  writeFileSync(file, text);
  try {
    const folder = await OutputFolder.open(path);
    try {
      const { samples } = await folder.readCursor();
      promise(Number.isSafeInteger(samples), "a cursor counts");
      promise(folder.journal.format === JOURNAL_FORMAT, "a journal is one");
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!(error instanceof ExporterError)) throw error;
  } finally {
    rmSync(file, { force: true });
  }
}
