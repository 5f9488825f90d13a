import type { IncomingMessage, ServerResponse } from "node:http";
import type { ConcurrencyLimit } from "../../server/concurrency-limit.ts";
import { disconnectSignal } from "../../server/response-lifetime.ts";
import type { RouteHandler } from "../../server/responses.ts";
import { changesPage } from "./changes-page.ts";
import type { ChartOutcome } from "./courses.ts";
import { html } from "./html.ts";
import { type Layout, type Page, renderPage } from "./layout.ts";
import { overviewPage, singleServerPage } from "./overview-page.ts";
import type { AnyStatusReport, NodeReport } from "./report.ts";
import { type Answer, type Asset, respond, SCRIPT, STYLE } from "./respond.ts";
import { searchPage } from "./search-page.ts";
import { nodePage } from "./sensor-view.ts";
import { type ServerFacts, serverPage, theServerOf } from "./server-section.ts";
import {
  FIRST_PAGE,
  isSearch,
  LAST_HOUR,
  type NodeQuery,
  parseChangesQuery,
  parseNodeQuery,
  parseObjectId,
  parseSearchQuery,
  parseStatusQuery,
  QueryError,
  ROOT,
  type StatusSource,
  wantsChart,
} from "./source.ts";

export interface StatusRouteOptions {
  readonly source: StatusSource;
  readonly telemetryPath: string;
  readonly hasDebugPages: boolean;
}

/** Frame of all pages for people. */
export function layoutOf({ telemetryPath, hasDebugPages }: Omit<StatusRouteOptions, "source">): Layout {
  return { telemetryPath, hasDebugPages, style: STYLE, script: SCRIPT };
}

export function statusRoutes(options: StatusRouteOptions, concurrency: ConcurrencyLimit): [string, RouteHandler][] {
  const { source, hasDebugPages } = options;
  const layout = layoutOf(options);
  const page = (status: Answer["status"], content: Page): Answer => ({
    status,
    contentType: "text/html; charset=utf-8",
    body: renderPage(content, layout),
  });
  const refused = (error: unknown): Answer => {
    if (error instanceof QueryError) return page(400, unknownValue(error));
    throw error;
  };
  const route = (
    path: string,
    answer: (query: URLSearchParams, signal: AbortSignal) => Promise<Answer>,
    refuse = refused,
  ) => {
    const handler = concurrency.limit(async (request, response, signal) =>
      respond(request, response, await answer(queryOf(request), signal).catch(refuse)),
    );
    return [path, handler] as [string, RouteHandler];
  };
  const search = async (parameters: URLSearchParams, signal: AbortSignal) => {
    const query = parseSearchQuery(parameters);
    return page(200, searchPage(await source.search(query, signal), query));
  };
  const changesOf = (parameters: URLSearchParams, signal: AbortSignal) =>
    source.changes(parseChangesQuery(parameters), signal);
  const changes = async (parameters: URLSearchParams, signal: AbortSignal) =>
    page(200, changesPage(await changesOf(parameters, signal), parseChangesQuery(parameters).server));
  const whyMissing = async ({ server, id }: NodeQuery, signal: AbortSignal) =>
    server === undefined || (await isKnown(source, server, signal)) ? missing("object", id) : missing("server", server);
  const server = async (root: NodeReport, query: NodeQuery, signal: AbortSignal) => {
    const report = await source.status({ ...FIRST_PAGE, server: root.node.server }, signal);
    const server = report && theServerOf(report);
    if (report === undefined || server === undefined) return page(404, missing("server", root.node.server));
    return page(
      200,
      serverPage(report, { server, root, course: source.course(server.name), hasDebugPages }, query.sort),
    );
  };
  return [
    route("/", async (query, signal) => {
      if (isSearch(query)) return search(query, signal);
      const question = { ...parseStatusQuery(query, "grouped"), server: undefined };
      const report = await source.status(question, signal);
      if (report === undefined) return page(404, missing("object", ROOT));
      const around = { ...options, changes: await source.changes(LAST_HOUR, signal) };
      const facts = await serverFacts(options, report, signal);
      if (facts !== undefined) return page(200, singleServerPage(report, facts, question, around));
      return page(200, overviewPage(report, question, source.course, around));
    }),
    [
      "/tree",
      async (request, response) => {
        const parameters = queryOf(request);
        // Outside the limit of pages, because it waits for the monitoring server.
        const chart = wantsChart(parameters) ? await chartFor(source, parseObjectId(parameters), response) : undefined;
        if (chart === "gone") return;
        if (chart?.kind === "busy") {
          concurrency.refuse(response, "Too many readers wait for charts. Retry later.\n", chart.retryAfterSeconds);
          return;
        }
        await route("/tree", async (_parameters, signal) => {
          const query = parseNodeQuery(parameters);
          const report = await source.node(query, signal);
          if (report === undefined) return page(404, await whyMissing(query, signal));
          if (report.node.kind === "root") return server(report, query, signal);
          const shownChart = report.sensor === null ? undefined : chart;
          return page(200, nodePage(report, { hasDebugPages, sort: query.sort, chart: shownChart }));
        })[1](request, response);
      },
    ],
    route("/search", search),
    route("/changes", changes),
    route("/changes.json", async (query, signal) => json(200, await changesOf(query, signal)), refusedJson),
    route("/status.json", (query, signal) => jsonAnswer(source, query, signal), refusedJson),
    ...[STYLE, SCRIPT].map(assetRoute),
  ];
}

/** `undefined` for a report about many servers. */
async function serverFacts(
  { source, hasDebugPages }: StatusRouteOptions,
  report: AnyStatusReport,
  signal: AbortSignal,
): Promise<ServerFacts | undefined> {
  const server = theServerOf(report);
  if (server === undefined) return undefined;
  const root = await source.node({ server: server.name, id: ROOT, from: 0 }, signal);
  return root && { server, root, course: source.course(server.name), hasDebugPages };
}

function assetRoute(asset: Asset): [string, RouteHandler] {
  return [asset.path, (request, response) => respond(request, response, assetAnswer(asset))];
}

/** Returns "gone" if the reader disconnected. */
async function chartFor(
  source: StatusSource,
  query: Pick<NodeQuery, "server" | "id">,
  response: ServerResponse,
): Promise<ChartOutcome | undefined | "gone"> {
  const signal = disconnectSignal(response);
  try {
    return await source.chart(query, signal);
  } catch (error) {
    if (signal.aborted) return "gone";
    throw error;
  }
}

function queryOf({ url = "/" }: IncomingMessage): URLSearchParams {
  const at = url.indexOf("?");
  return new URLSearchParams(at === -1 ? "" : url.slice(at + 1));
}

async function jsonAnswer(source: StatusSource, query: URLSearchParams, signal: AbortSignal): Promise<Answer> {
  if (isSearch(query)) return json(200, await source.search(parseSearchQuery(query), signal));
  if (!query.has("object") && !query.has("id")) {
    const report = await source.status(parseStatusQuery(query, "single"), signal);
    return report === undefined ? json(404, { error: "unknown server" }) : json(200, report);
  }
  const question = parseNodeQuery(query);
  const report = await source.node(question, signal);
  if (report !== undefined) return json(200, report);
  const { server } = question;
  const hasServer = server === undefined || (await isKnown(source, server, signal));
  return json(404, { error: hasServer ? "unknown object" : "unknown server" });
}

async function isKnown(source: StatusSource, server: string, signal: AbortSignal): Promise<boolean> {
  return (await source.status({ ...FIRST_PAGE, server }, signal)) !== undefined;
}

function refusedJson(error: unknown): Answer {
  if (error instanceof QueryError) return json(400, { error: error.message, known: error.known });
  throw error;
}

function json(status: Answer["status"], content: unknown): Answer {
  return { status, contentType: "application/json; charset=utf-8", body: `${JSON.stringify(content, undefined, 2)}\n` };
}

function assetAnswer({ contentType, body }: Asset): Answer {
  return { status: 200, contentType, body, isImmutable: true };
}

function unknownValue({ message, known }: QueryError): Page {
  const values = known.map((each, index) => html`${index > 0 && ", "}<code><bdi>${each}</bdi></code>`);
  return {
    title: "Unknown value – prtg-exporter",
    content: html`<section class="panel"><h1 class="small">Error: <bdi>${message}</bdi></h1><p>Known: ${values}.</p><p><a href="./">Overview</a></p></section>`,
  };
}

const WHY_MISSING = {
  server: "The configuration has no server with this name, or this replica does not read it.",
  object: "PRTG has removed it, the exporter has not read it yet, or the user of the API key has no access.",
};

function missing(what: keyof typeof WHY_MISSING, name: string): Page {
  return {
    title: "Not found – prtg-exporter",
    content: html`<section class="panel"><h1 class="small">No ${what} <bdi>${name}</bdi></h1><p>${WHY_MISSING[what]} <a href="./">Overview</a></p></section>`,
  };
}
