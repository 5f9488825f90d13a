import { execFileSync, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { fileFault } from "../../src/config/reading-files.ts";
import { FileFault, filesHang, readTextFile, withinTime } from "../../src/lib/bounded-files.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function pipeIn(folder: string): string {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  return pipe;
}

async function faultOf(reading: Promise<unknown>): Promise<string> {
  return reading.then(
    () => "none",
    (error: unknown) => fileFault(error),
  );
}

describe("complete file", () => {
  test("is read from a pipe with a late writer in parts", async () => {
    const pipe = pipeIn(temporaryFolder({}));
    const reading = readTextFile(pipe);
    const text = "0123456789".repeat(30_000);
    await writeFile(pipe, text);
    expect(await reading).toBe(text);
  });
});

describe("unreadable file", () => {
  test("fails if a pipe has no writer, and leaves no thread behind", async () => {
    const clock = new ManualClock();
    const pipe = pipeIn(temporaryFolder({}));
    let fault = "";
    const reading = faultOf(readTextFile(pipe, { timeoutMs: 5_000, clock })).then((text) => {
      fault = text;
    });
    while (fault === "") await clock.advance(1_000);
    await reading;
    expect(fault).toBe("no data within 5 s");
    // The thread needs a moment to close the pipe.
    await expect.poll(() => filesHang()).toBe(false);
  });

  test("gets another read after a file system answers, without taking all threads", async () => {
    const clock = new ManualClock();
    const hanging = ["/hangs/a", "/hangs/b"].map((path) => ({ path, ...Promise.withResolvers<string>() }));
    for (const { path, promise } of hanging) {
      const asking = withinTime(path, () => promise, 10_000, clock);
      const refused = expect(asking).rejects.toThrow(new FileFault("ETIMEDOUT", "no data within 10 s"));
      await clock.advance(10_000);
      await refused;
    }
    expect(filesHang()).toBe(true);
    let asked = 0;
    const ask = (path: string) => withinTime(path, async () => String(++asked), 10_000, clock);
    for (const path of ["/hangs/a", "/elsewhere"]) await expect(ask(path)).rejects.toThrow("does not answer");
    expect(asked).toBe(0);
    hanging[0]?.resolve("late");
    await hanging[0]?.promise;
    expect(await ask("/hangs/a")).toBe("1");
    await expect(ask("/hangs/b")).rejects.toThrow("does not answer");
    hanging[1]?.reject(new Error("late"));
    await hanging[1]?.promise.catch(() => undefined);
    expect(await ask("/hangs/b")).toBe("2");
    expect(filesHang()).toBe(false);
  });
});

test("a process exits with its code even if a thread waits for a file system", async () => {
  const pipe = pipeIn(temporaryFolder({}));
  const from = (name: string) => JSON.stringify(fileURLToPath(new URL(`../../src/${name}`, import.meta.url)));
  // Node.js' open blocks until a writer comes.
  const program = `
    import { open } from "node:fs/promises";
    import { withinTime } from ${from("lib/bounded-files.ts")};
    import { endProcess } from ${from("app/process/end-process.ts")};
    await withinTime(${JSON.stringify(pipe)}, () => open(${JSON.stringify(pipe)}), 100).catch(() => endProcess(7));
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { stdio: "ignore" });
  expect(await new Promise((resolve) => child.on("exit", resolve))).toBe(7);
});
