import { z } from "zod";
import type { BackgroundProgram } from "../../real/support/background-program.ts";
import type { KubernetesNode } from "./kubernetes-node.ts";

const summary = z.object({
  sent: z.number(),
  /** Time and cause. */
  failures: z.array(z.string()),
  /** Until a page shows an answering server. */
  longestWithoutValuesMs: z.number(),
  /** Worst age of the newest values on a page. */
  oldestValuesMs: z.number(),
});
export type ScrapeSummary = z.infer<typeof summary>;

const START_LIMIT_MS = 30_000;

/** Alternating new and kept connections, like Prometheus. */
const SCRIPT = `
import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
const [, url] = process.argv;
const kept = new Agent({ keepAlive: true });
const seen = { sent: 0, failures: [], longestWithoutValuesMs: 0, oldestValuesMs: 0 };
const FRESH = /^prtg_exporter_collector_last_success_timestamp_seconds\\{[^}]*collector="status"[^}]*\\} (\\S+)$/m;
let valuesAt = performance.now();
let givenAt = Date.now();
let ending = false;
process.once("SIGTERM", () => { ending = true; });
const noteValues = () => {
  const now = performance.now();
  seen.longestWithoutValuesMs = Math.max(seen.longestWithoutValuesMs, now - valuesAt);
  valuesAt = now;
};
const noteAge = (text) => {
  givenAt = Number(FRESH.exec(text)?.[1] ?? givenAt / 1_000) * 1_000;
  seen.oldestValuesMs = Math.max(seen.oldestValuesMs, Date.now() - givenAt);
};
const ask = (agent) => new Promise((resolve) => {
  seen.sent++;
  const fail = (reason) => {
    noteAge("");
    seen.failures.push(new Date().toISOString() + " " + reason);
    resolve();
  };
  const request = get(url, { agent, timeout: 5_000 }, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part) => { text += part; }).on("error", (error) => fail(error.message));
    response.on("end", () => {
      if (response.statusCode !== 200) return fail("status " + response.statusCode);
      noteAge(text);
      if (/^prtg_up\\{[^}]*\\} 1$/m.test(text)) noteValues();
      resolve();
    });
  });
  request.on("timeout", () => request.destroy(new Error("no answer"))).on("error", (error) => fail(error.message));
});
console.log("The loop runs.");
while (!ending) {
  await Promise.all([ask(false), ask(kept)]);
  await sleep(50);
}
kept.destroy();
seen.longestWithoutValuesMs = Math.max(seen.longestWithoutValuesMs, performance.now() - valuesAt);
console.log("SEEN " + JSON.stringify(seen));
`;

export class ScrapeLoop {
  readonly #program: BackgroundProgram;

  private constructor(program: BackgroundProgram) {
    this.#program = program;
  }

  static async start(node: KubernetesNode, url: string): Promise<ScrapeLoop> {
    const program = node.startScript(SCRIPT, [url]);
    await program.waitForLog(/The loop runs\./, START_LIMIT_MS);
    return new ScrapeLoop(program);
  }

  /** @param during for the printed figures */
  async stop(during: string): Promise<ScrapeSummary> {
    await this.#program.stop();
    const [, seen = ""] = /^SEEN (.*)$/m.exec(this.#program.log()) ?? [];
    if (seen === "") throw new Error(`the loop counted nothing: ${this.#program.log()}`);
    const result = summary.parse(JSON.parse(seen));
    const { sent, failures, longestWithoutValuesMs, oldestValuesMs } = result;
    // Figures of docs/deployment.md.
    console.log(
      [
        `${during}: ${failures.length} of ${sent} requests lost`,
        `at most ${seconds(longestWithoutValuesMs)} without values`,
        `none older than ${seconds(oldestValuesMs)}`,
      ].join(", "),
    );
    return result;
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
