import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer } from "../api/reply.ts";
import { answerRedirect, answerUnsupportedScheme } from "../faults/interception.ts";

/** Where the classic web interface lets its users sign in. */
const LOGIN_PAGE = "/public/login.htm";

/** The classic web server: a page for signing in, a way there from all else, and 401 to a key in the header. */
export function serveClassic(request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, body } = classicAnswer(request);
  response.writeHead(status, headers);
  response.end(body);
}

function classicAnswer({ headers, url = "/" }: IncomingMessage): Answer {
  if (/^Bearer\b/i.test(headers.authorization ?? "")) return answerUnsupportedScheme();
  if (url.split("?")[0] !== LOGIN_PAGE) return answerRedirect(`${LOGIN_PAGE}?loginurl=${encodeURIComponent(url)}`);
  const page = "<!DOCTYPE html><html><head><title>Login</title></head><body><form></form></body></html>\n";
  return { status: 200, headers: { "Content-Type": "text/html; charset=utf-8" }, body: Buffer.from(page) };
}
