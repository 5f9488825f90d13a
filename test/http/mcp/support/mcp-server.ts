import { pino } from "pino";
import type { McpAccess } from "../../../../src/http/mcp/access.ts";
import { createRoutes } from "../../../../src/http/pages/routes.ts";
import type { StatusSource } from "../../../../src/http/pages/status/source.ts";
import { startWebServer } from "../../../../src/http/server/connection-handler.ts";

export const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: unknown;
}

/** A web server with `/mcp` for this source. `access` overrides. */
export async function startMcpServer(source: StatusSource, access: Partial<McpAccess> = {}) {
  const called: string[] = [];
  const failed: unknown[] = [];
  const web = await startWebServer({
    addresses: [{ host: "127.0.0.1", port: 0 }],
    log: pino({ level: "silent" }),
    routes: createRoutes({
      telemetryPath: "/metrics",
      isReady: () => true,
      served: () => undefined,
      exposition: { streamedPage: async () => ({ beginning: [], end: async () => [] }) },
      status: source,
      mcp: {
        isEnabled: () => true,
        externalUrl: () => undefined,
        version: "0.0.0-test",
        called: (tool, result) => void called.push(`${tool} ${result}`),
        failed: (_tool, error) => void failed.push(error),
        ...access,
      },
    }),
  });
  const url = `${web.urls[0]}/mcp`;
  const post = (body: string, headers: Readonly<Record<string, string>> = HEADERS) =>
    fetch(url, { method: "POST", headers, body });
  const send = async (method: string, params: object = {}) => {
    const response = await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    return (await response.json()) as { readonly result?: unknown; readonly error?: { readonly message: string } };
  };
  const callTool = async (name: string, args: object = {}): Promise<ToolResult> => {
    const { result, error } = await send("tools/call", { name, arguments: args });
    if (error !== undefined) throw new Error(error.message);
    return result as ToolResult;
  };
  return { url, web, called, failed, post, send, callTool, close: () => web.close(0) };
}

export type McpServer = Awaited<ReturnType<typeof startMcpServer>>;

/** The first text of an answer. */
export function textOf({ content }: ToolResult): string {
  return content[0]?.text ?? "";
}

/** JSON of the only block of data. Throws if there is another number of blocks. */
export function dataOf(result: ToolResult): unknown {
  const lines = textOf(result).split("\n");
  const [begin, end] = [lines.indexOf("<data>"), lines.lastIndexOf("</data>")];
  const tags = textOf(result).match(/^<\/?data>$/gm) ?? [];
  if (tags.length !== 2 || end !== begin + 2) throw new Error("not one block of data in one line");
  return JSON.parse(lines[begin + 1] ?? "");
}
