import { expect, onTestFinished, test } from "vitest";
import { type RunningCommand, startCommand } from "../support/command-line.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";

const DEMO = ["demo", "--sensors", "20", "--web.listen-address", "127.0.0.1:0"];

async function startDemo(): Promise<RunningCommand> {
  const demo = startCommand(DEMO);
  await demo.until(/Open http/);
  return demo;
}

test("signals in quick succession count as one", async () => {
  const demo = await startDemo();
  demo.kill("SIGINT");
  demo.kill("SIGTERM");
  expect((await demo.ended).code).toBe(0);
});

test("a later signal ends the demo immediately", async () => {
  // The missing answer to the logout delays the exporter's exit by seconds.
  const simulator = await simulateServer({ faults: ["hang@DELETE:/session"] });
  const serve = startCommand(["serve", "--web.listen-address", "127.0.0.1:0"], {
    env: { PRTG_URL: simulator.url, PRTG_USERNAME: CREDENTIALS.username, PRTG_PASSWORD: CREDENTIALS.password },
  });
  await serve.until(/first poll finished/);
  serve.kill("SIGINT");
  await serve.until(/stopping on SIGINT/);
  const impatience = setInterval(() => serve.kill("SIGINT"), 800);
  onTestFinished(() => clearInterval(impatience));
  expect((await serve.ended).code).toBe(130);
});
