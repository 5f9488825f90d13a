import { COLLECTORS, SCHEDULES, STALE_AFTER_MS, TIMEOUT_MS } from "./exporter-under-test.ts";
import type { Findings, Recovery } from "./findings.ts";
import { MAX_RESIDENT_BYTES, summarize } from "./judgement.ts";
import type { Soak, SoakOptions } from "./soak.ts";
import { largest, median } from "./statistics.ts";

/** What a soak has found, as Markdown. */
export function reportOf(soak: Soak, { minutes, seed, sensors }: SoakOptions): string {
  const { findings } = soak;
  const intervals = Object.entries(SCHEDULES).map(([name, seconds]) => `${name} ${seconds} s`);
  return `# Soak

\`npm run soak -- --minutes ${minutes} --seed ${seed}\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.version}: one exporter with two servers of
${sensors} sensors and ${4 * sensors} channels each, all in processes of their own. One server is disturbed without end, the other one is left
alone. Schedules: ${intervals.join(", ")}; \`timeout\` ${TIMEOUT_MS / 1_000} s, \`stale_after\` ${STALE_AFTER_MS / 1_000} s. While faults are in force the tree of the
disturbed server changes, and the exporter is scraped in all formats and encodings. Other readers come in bursts and ask for parts of the page,
the status page, searches and debug pages, slowly or not to the end. The exporter's wall clock jumps, over the end of summer time, too.

Each page is read by a strict parser of its own, and held against what the servers say they answered: success and its time,
which objects are shown, the age of values, and that the server that is left alone shows no failure.

## Outcome

| | |
| --- | --- |
${outcome(soak)
  .map(([what, figure]) => `| ${what} | ${figure} |`)
  .join("\n")}

## Faults

| Fault | injected |
| --- | --- |
${[...findings.injected]
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([kind, count]) => `| ${kind} | ${count} |`)
  .join("\n")}

## Slowest recoveries

From the end of the faults until every collector (${COLLECTORS.join(", ")}) had worked and seen everything.

| After | seconds |
| --- | --- |
${slowest(findings.recoveries)
  .map(({ kind, ms }) => `| ${kind} | ${seconds(ms)} |`)
  .join("\n")}
${violations(findings)}`;
}

function outcome(soak: Soak): readonly (readonly [string, string])[] {
  const { findings } = soak;
  const injected = [...findings.injected.values()].reduce((sum, count) => sum + count, 0);
  const recoveries = findings.recoveries.map(({ ms }) => ms);
  const { eventLoopDelaysMs: delays, soundPollsMs: polls } = findings;
  const scrapes = soak.scrapeDurationsMs;
  const resources = summarize(findings.resources);
  const megabytes = (bytes: number) => `${Math.round(bytes / 1_048_576)} MiB`;
  return [
    ["cycles", String(findings.cycles)],
    ["faults injected", `${injected}, of ${findings.injected.size} kinds`],
    ["changes of the tree", String(findings.changes)],
    ["reloads", String(findings.reloads)],
    ["pages parsed", String(soak.scrapes)],
    ["other requests of readers, by their answer", readings(findings)],
    ["pages held against the record of a server", String(findings.truthChecks)],
    ["**violations**", `**${findings.violationCount}**`],
    ["recovery, median and longest", `${seconds(median(recoveries))} s, ${seconds(largest(recoveries))} s`],
    ["scrape, median and longest", `${median(scrapes).toFixed(1)} ms, ${largest(scrapes).toFixed(0)} ms`],
    [
      "for comparison, `/-/healthy`, median and longest",
      `${median(findings.calibrationMs).toFixed(1)} ms, ${largest(findings.calibrationMs).toFixed(0)} ms`,
    ],
    [
      "channel poll of the sound server, median and longest",
      `${median(polls).toFixed(0)} ms, ${largest(polls).toFixed(0)} ms`,
    ],
    ["longest time between two of them", `${seconds(findings.longestPollGapMs)} s`],
    [
      "longest event loop delay",
      `${largest(delays).toFixed(0)} ms (median of a scrape's: ${median(delays).toFixed(0)} ms)`,
    ],
    ...(resources === undefined
      ? []
      : ([
          [
            "resident memory, after the first quarter and at the end",
            `${megabytes(resources.startBytes)}, ${megabytes(resources.endBytes)}`,
          ],
          [
            "resident memory at its highest, bound",
            `${megabytes(findings.peakBytes)}, ${megabytes(MAX_RESIDENT_BYTES)}`,
          ],
          ["its slope from there on", `${megabytes(resources.bytesAnHour)} an hour`],
          ["open files and sockets, most, in the same parts", `${resources.startFiles}, ${resources.endFiles}`],
        ] as const)),
  ];
}

function readings({ readings }: Findings): string {
  return [...readings]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([outcome, count]) => `${outcome}: ${count}`)
    .join(", ");
}

function slowest(recoveries: readonly Recovery[]): readonly Recovery[] {
  return recoveries.toSorted((a, b) => b.ms - a.ms).slice(0, 10);
}

function violations({ violations }: Findings): string {
  if (violations.length === 0) return "";
  return `\n## Violations\n\n\`\`\`text\n${violations.join("\n")}\n\`\`\`\n`;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
