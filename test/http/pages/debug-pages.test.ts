import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DebugReport } from "../../../src/http/pages/status/debug-view.ts";
import { CONTENT_SECURITY_POLICY, SCRIPT, STYLE } from "../../../src/http/pages/status/respond.ts";
import type { WebServer } from "../../../src/http/server/connection-handler.ts";
import { fakeServers } from "../../support/fake-status-source.ts";
import { startPageServer } from "../support/page-server.ts";

const asked: string[] = [];
let report: DebugReport = { status: 200, sections: [{ title: "seen" }], json: { seen: "ü" } };
let server: WebServer;

beforeAll(async () => {
  const page = (name: string) => async (query: URLSearchParams) => {
    asked.push(`${name} ${query}`);
    return report;
  };
  server = (
    await startPageServer({ debug: { explain: page("explain"), cardinality: page("cardinality"), runs: page("runs") } })
  ).web;
});

afterAll(() => server.close(0));

interface Answer {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly length: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${server.urls[0]}${path}`, { method, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk;
      });
      response.on("end", () => {
        const { statusCode: status, headers: sent } = response;
        resolve({ status, type: sent["content-type"], length: Number(sent["content-length"]), body, headers: sent });
      });
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

describe("in a browser", () => {
  const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const sections = [
    { title: "series: <b>2", head: ["family", "series"], rows: [["prtg_<i>up", "2"]], more: "and 3 more" },
    { title: "labels", head: ["label"], rows: [], note: "a note" },
    { title: "linked", head: ["server"], rows: [["a&b"]], links: ["?server=a%26b"] },
  ];
  const page = async (): Promise<DebugReport> => ({ status: 200, sections, json: {} });

  test.each(["/debug/explain", "/debug/cardinality", "/debug/runs"])(
    "%s has the frame of the status page",
    async (path) => {
      const { source } = fakeServers(1);
      const { web, url } = await startPageServer({
        debug: { explain: page, cardinality: page, runs: page },
        status: source,
      });
      try {
        const response = await fetch(url + path, { headers: { Accept: BROWSER } });
        expect(Object.fromEntries(response.headers)).toMatchObject({
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": CONTENT_SECURITY_POLICY,
          vary: "Accept, Accept-Encoding",
        });
        const text = await response.text();
        expect(text).toContain(
          '<th scope="row"><bdi>prtg_&lt;i&gt;up</bdi></th><td data-label="series" class="n"><bdi>2</bdi></td>',
        );
        expect(text).toContain("<h2>series: &lt;b&gt;2</h2>");
        expect(text).toContain("and 3 more");
        expect(text).toContain('<a href="?server=a%26b"><bdi>a&amp;b</bdi></a>');
        // Relative to the folder.
        for (const address of [
          `href="..${STYLE.path}"`,
          `src="..${SCRIPT.path}"`,
          'action="../search"',
          'href="../"',
        ]) {
          expect(text).toContain(address);
        }
        expect(text).not.toMatch(/(?:href|src|action)="\.\//);
        for (const accept of ["*/*", "text/plain", "text/*"]) {
          expect(await (await fetch(url + path, { headers: { Accept: accept } })).text()).toBe(
            "series: <b>2\nfamily      series\nprtg_<i>up  2\nand 3 more\n\nlabels\na note\n\nlinked\nserver\na&b\n",
          );
        }
      } finally {
        await web.close(0);
      }
    },
  );
});

describe("/debug/explain", () => {
  const name = "explain";

  test("passes the query on and forbids caching", async () => {
    asked.length = 0;
    const { headers } = await ask(`/debug/${name}?object=2490.1&a=%20b`);
    expect(asked).toEqual([`${name} object=2490.1&a=+b`]);
    expect([headers["cache-control"], headers.vary]).toEqual(["no-store", "Accept"]);
  });

  test.each([
    [undefined, "text/plain"],
    ["*/*", "text/plain"],
    ["text/html,application/xhtml+xml,*/*;q=0.8", "text/plain"],
    ["application/json", "application/json"],
    ["text/plain;q=0.5, application/json", "application/json"],
    ["application/*", "application/json"],
    ["application/json;q=0", "text/plain"],
    ["image/png", "text/plain"],
    ["nonsense;;;", "text/plain"],
  ])("answers Accept: %s with %s", async (accept, expected) => {
    const { status, type, body } = await ask(`/debug/${name}`, accept === undefined ? {} : { accept });
    expect([status, type]).toEqual([200, `${expected}; charset=utf-8`]);
    expect(body).toBe(expected === "text/plain" ? "seen\n" : '{\n  "seen": "ü"\n}\n');
  });

  test("omits the body for HEAD and sends its length", async () => {
    const { status, body, length } = await ask(`/debug/${name}`, { accept: "application/json" }, "HEAD");
    expect([status, body, length]).toEqual([200, "", Buffer.byteLength('{\n  "seen": "ü"\n}\n')]);
  });

  test("rejects other methods", async () => {
    const { status, headers } = await ask(`/debug/${name}`, {}, "POST");
    expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
  });

  test("returns errors of the query", async () => {
    const fine = report;
    report = { status: 404, sections: [{ title: "no such sensor" }], json: { error: "no such sensor" } };
    const { status, body } = await ask(`/debug/${name}`);
    report = fine;
    expect([status, body]).toEqual([404, "no such sensor\n"]);
  });
});
