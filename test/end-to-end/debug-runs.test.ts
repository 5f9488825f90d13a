import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startCommand } from "../support/command-line.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Run {
  readonly collector: string;
  readonly outcome: string;
  readonly error: string | null;
  readonly steps: readonly { step: string; count: number; answers: Record<string, number>; bytes: number }[];
  readonly log: readonly { msg: string; code?: string }[];
}

test("/debug/runs explains a failed run of the command", async () => {
  const simulator = await simulateServer({ faults: ["error=500@/experimental/channels"] });
  const yaml = `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }]\n`;
  const folder = temporaryFolder({ "prtg.yaml": yaml });
  const args = ["serve", "--config.file", join(folder, "prtg.yaml"), "--web.listen-address", "127.0.0.1:0"];
  const serve = startCommand(args, { env: { KEY: CREDENTIALS.apiKey } });
  onTestFinished(() => serve.kill("SIGTERM"));
  await serve.until(/first poll finished/);
  const url = await serve.url();
  const response = await fetch(`${url}/debug/runs`, { headers: { accept: "application/json" } });
  const { server, runs } = (await response.json()) as { server: string; runs: readonly Run[] };
  expect(server).toBe("hq");
  const channels = runs.find(({ collector }) => collector === "channels");
  expect(channels).toMatchObject({ outcome: "failed", error: expect.stringContaining("[API_SERVER_ERROR]") });
  expect(channels?.steps.find(({ step }) => step === "/experimental/channels")).toMatchObject({
    count: 2,
    answers: { 500: 2 },
  });
  // Those of this run only, although other collectors run at the same time.
  expect(channels?.log.map(({ msg }) => msg.split(":")[0])).toEqual(["request failed", "collector channels failed"]);
  const tree = runs.find(({ collector }) => collector === "tree");
  expect(tree).toMatchObject({ outcome: "complete", log: [] });
  const sensors = tree?.steps.find(({ step }) => step === "/experimental/sensors");
  expect(sensors?.bytes).toBeGreaterThan(1_000);

  expect(await (await fetch(`${url}/`)).text()).toContain('href="./debug/runs?server=hq"');
});
