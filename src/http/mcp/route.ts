import { type PostRoute, respondText } from "../server/responses.ts";
import type { McpSurroundings } from "./access.ts";

export const MCP_PATH = "/mcp";
/** A call has less than 8 kB of arguments. */
const MAX_BODY_BYTES = 64 * 1_024;

/** `POST /mcp`: Streamable HTTP without sessions and streams, so that GET and DELETE get 405. */
export function mcpRoute(surroundings: McpSurroundings): PostRoute {
  return {
    maxBytes: MAX_BODY_BYTES,
    post: async (request, response, body) => {
      const { origin } = request.headers;
      if (origin !== undefined && !isOwn(origin, surroundings.access.externalUrl())) {
        return respondText(response, 403, "Web pages of another origin have no access. Set web.external_url.\n");
      }
      const { answerMcp } = await import("./endpoint.ts");
      await answerMcp(surroundings, request, response, body);
    },
  };
}

/** Loads the SDK, before scrapes that it would block. Otherwise the first request does. */
export async function prepareMcp(): Promise<void> {
  const { warmUp } = await import("./protocol.ts");
  await warmUp();
}

/**
 * Against DNS rebinding: the page of an attacker can give its own name the address of the exporter, and then sends this name as
 * host and origin. Only browsers send an origin.
 */
function isOwn(origin: string, externalUrl: string | undefined): boolean {
  return externalUrl !== undefined && URL.parse(externalUrl)?.origin === origin;
}
