import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** The used part of the official client library, which has an install of its own (tools/mcp) and so cannot be imported by name. */
export interface McpClient {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: { readonly name: string; readonly arguments: object }): Promise<{
    readonly isError?: boolean;
    readonly structuredContent?: unknown;
  }>;
  close(): Promise<void>;
}

/** `legacy`: with `initialize`, as most clients do. */
export type ProtocolMode = "legacy" | "auto" | { readonly pin: string };

const tools = createRequire(new URL("./package.json", import.meta.url));

/** Connects the official client library. @param headers Of each request. */
export async function connectMcpClient(
  url: string,
  mode: ProtocolMode,
  headers: Readonly<Record<string, string>>,
): Promise<McpClient> {
  const { Client, StreamableHTTPClientTransport } = await import(
    pathToFileURL(tools.resolve("@modelcontextprotocol/client")).href
  );
  const client = new Client({ name: "prtg-exporter-tests", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** The program `mcp-inspector`, to run with Node.js. */
export function inspectorPath(): string {
  return join(
    dirname(tools.resolve("@modelcontextprotocol/inspector/package.json")),
    "clients/launcher/build/index.js",
  );
}
