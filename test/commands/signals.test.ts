import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { type RunningCommand, startCommand } from "../support/command-line.ts";

const DEMO = ["demo", "--sensors", "20", "--web.listen-address", "127.0.0.1:0"];

async function startDemo(): Promise<{ demo: RunningCommand; url: URL }> {
  const demo = startCommand(DEMO);
  await demo.until(/Open http/);
  return { demo, url: new URL(await demo.url()) };
}

test.each(["SIGINT", "SIGTERM"] as const)("%s ends it with exit code 0", async (signal) => {
  const { demo } = await startDemo();
  demo.kill(signal);
  expect((await demo.ended).code).toBe(0);
});

test("signals that come close together are one request to end", async () => {
  const { demo } = await startDemo();
  demo.kill("SIGINT");
  demo.kill("SIGTERM");
  expect((await demo.ended).code).toBe(0);
});

test("a later signal ends it at once, whatever is still under way", async () => {
  const { demo, url } = await startDemo();
  const request = connect(Number(url.port), url.hostname);
  onTestFinished(() => void request.destroy());
  request.on("error", () => undefined);
  // Nobody reads the answers, which hold its end up for some seconds.
  request.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(150));
  await sleep(300);
  demo.kill("SIGINT");
  const impatience = setInterval(() => demo.kill("SIGINT"), 800);
  onTestFinished(() => clearInterval(impatience));
  expect((await demo.ended).code).toBe(130);
});
