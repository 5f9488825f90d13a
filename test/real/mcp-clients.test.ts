import { afterAll, beforeAll, expect, it } from "vitest";
import { MCP_TOOLS } from "../../src/telemetry/metric-declarations.ts";
import { connectMcpClient, inspectorPath, type ProtocolMode } from "../../tools/mcp/clients.ts";
import { type McpServer, startMcpServer } from "../http/mcp/support/mcp-server.ts";
import { type SimulatedExporter, startSimulatedExporter } from "../support/simulated-exporter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { runProgram } from "./support/run-program.ts";

describeWithPrograms(["mcp-inspector"], "tools for agents", () => {
  let exporter: SimulatedExporter;
  let mcp: McpServer;
  /** Arguments of one call of each tool. */
  let calls: Readonly<Record<(typeof MCP_TOOLS)[number], object>>;

  beforeAll(async () => {
    exporter = await startSimulatedExporter({ size: { sensors: 60 } });
    await exporter.poll();
    mcp = await startMcpServer(exporter.exporter.status);
    const id = exporter.simulator.world.list("sensor")[0]?.id ?? "";
    calls = {
      list_servers: {},
      list_outages: { server: "hq" },
      find_objects: { text: "ping", status: ["up", "down"] },
      get_object: { id },
      get_changes: { minutes: 60 },
      get_history: { id },
      explain_series: { id },
    };
  });

  afterAll(async () => {
    await mcp?.close();
    await exporter?.close();
  });

  it.each<[string, ProtocolMode]>([
    ["with initialize", "legacy"],
    ["of the revision 2026-07-28", { pin: "2026-07-28" }],
    ["that finds the revision", "auto"],
  ])("serve the official client library %s", async (_title, mode) => {
    const client = await connectMcpClient(mcp.url, mode, {});
    // The library compares each result with the schema of its tool.
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([...MCP_TOOLS]);
    const { requests } = exporter.simulator;
    const before = requests.count();
    for (const name of MCP_TOOLS) {
      const { isError, structuredContent } = await client.callTool({ name, arguments: calls[name] });
      expect([name, isError]).toEqual([name, undefined]);
      expect(structuredContent).toMatchObject({ as_of: expect.any(String) });
    }
    // The history, unless it is still in memory.
    expect(requests.count() - before).toBeLessThanOrEqual(1);
    await client.close();
  });

  async function inspect(...args: readonly string[]): Promise<unknown> {
    const command = [inspectorPath(), "--cli", mcp.url, "--transport", "http", ...args];
    const env = { ...process.env, HOME: temporaryFolder({}), NODE_OPTIONS: "" };
    const { code, stdout, stderr } = await runProgram(process.execPath, command, "", 60_000, env);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return JSON.parse(stdout);
  }

  it("serve the inspector, which finds no fault in their schemas", async () => {
    const { tools } = (await inspect("--method", "tools/list", "--strict")) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual([...MCP_TOOLS]);
  });

  it.each(MCP_TOOLS)("serve the inspector that calls %s", async (name) => {
    const args = Object.entries(calls[name]).flatMap(([key, value]) => [
      "--tool-arg",
      `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    ]);
    const result = await inspect("--method", "tools/call", "--tool-name", name, ...args);
    expect(result).toMatchObject({ structuredContent: { as_of: expect.any(String) } });
  });
});
