import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FaultSyntaxError, parseFault } from "../../src/faults/grammar.ts";
import { FAULT_HELP } from "../../src/faults/help.ts";

describe("actions of faults", () => {
  test.each([
    ["latency=200ms", { kind: "latency", minMs: 200, maxMs: 200 }],
    ["latency=0.5s-1m", { kind: "latency", minMs: 500, maxMs: 60_000 }],
    ["error=503", { kind: "error", status: 503, code: "SERVICE_UNAVAILABLE" }],
    ["error=401", { kind: "error", status: 401, code: "AUTH_FAILED" }],
    ["error=408", { kind: "error", status: 408, code: "EXECUTION_TIMEOUT" }],
    ["error=429,retry-after=1500ms", { kind: "error", status: 429, code: "UNKNOWN", retryAfterSeconds: 2 }],
    ["error=503,code=LICENSE_INACTIVE", { kind: "error", status: 503, code: "LICENSE_INACTIVE" }],
    ["error=429,wait-for=90s", { kind: "error", status: 429, waitForSeconds: 90, retryAfterSeconds: undefined }],
    ["error=503,retry-date=90s", { kind: "error", retryDateSeconds: 90, retryAfterSeconds: undefined }],
    ["answer=503", { kind: "answer", status: 503, body: "", type: "text/plain; charset=utf-8" }],
    ["answer=200,body=%7B%22a%22%3A1,2%7D", { body: '{"a":1,2}', type: "application/json; charset=utf-8" }],
    ["answer=418,body=%3Ch1%3E,body=%40", { body: "<h1>,body=@", type: "text/html; charset=utf-8" }],
    ["answer=429,type=text/x,retry-after=2s,body=a=b", { type: "text/x", retryAfterSeconds: 2, body: "a=b" }],
    ["answer=503,retry-date=1m", { retryDateSeconds: 60 }],
    ["wrong-length=-3", { kind: "wrong-length", by: -3 }],
    ["error=500,body=none", { kind: "error", status: 500, hasBody: false }],
    ["hang", { kind: "hang" }],
    ["cut", { kind: "cut", where: "body" }],
    ["cut=start", { kind: "cut", where: "start" }],
    ["cut=reset", { kind: "cut", where: "reset" }],
    ["endless", { kind: "endless", bytesPerSecond: undefined }],
    ["endless=2MB", { kind: "endless", bytesPerSecond: 2_000_000 }],
    ["endless-list", { kind: "endless-list" }],
    ["large=60MB", { kind: "large", bytes: 60_000_000, shape: "objects" }],
    ["large=2kB,arrays", { kind: "large", bytes: 2_000, shape: "arrays" }],
    ["long-names=10MB", { kind: "long-names", characters: 10_000_000 }],
    ["content-type=text/plain;charset=x", { kind: "content-type", type: "text/plain;charset=x" }],
    ["parents=cycle", { kind: "parents", shape: "cycle" }],
    ["swapped-kinds", { kind: "swapped-kinds" }],
    ["twin-ids", { kind: "twin-ids" }],
    ["skew=-90s", { kind: "skew", byMs: -90_000 }],
    ["date=+2h", { kind: "date", byMs: 7_200_000 }],
    ["restart=5s", { kind: "restart", downMs: 5_000 }],
    ["truncate", { kind: "truncate", fraction: 0.5 }],
    ["truncate=0.9", { kind: "truncate", fraction: 0.9 }],
    ["html", { kind: "html" }],
    ["redirect", { kind: "redirect", location: "/public/login.htm?loginurl=%2Fapi%2Fv2" }],
    ["redirect=https://other/login", { kind: "redirect", location: "https://other/login" }],
    ["missing", { kind: "missing", status: 404 }],
    ["missing=501", { kind: "missing", status: 501 }],
    ["drip=16kB", { kind: "drip", bytesPerSecond: 16_000 }],
    ["moving-list", { kind: "moving-list", change: "delete" }],
    ["moving-list=reorder", { kind: "moving-list", change: "reorder" }],
    ["rounded", { kind: "rounded", digits: 0 }],
    ["rounded=2", { kind: "rounded", digits: 2 }],
    ["execution-timeout=1500", { kind: "execution-timeout", above: 1500 }],
    ["wrong-total=-3", { kind: "wrong-total", by: -3 }],
    ["empty", { kind: "empty", as: "list" }],
    ["empty=204", { kind: "empty", as: "204" }],
    ["short-rows", { kind: "short-rows", by: 1 }],
    ["text-values", { kind: "text-values", language: undefined }],
    ["text-values=de", { kind: "text-values", language: "de" }],
    ["unsupported-scheme", { kind: "unsupported-scheme" }],
    ["refuses=include:sensor_status_summary", { parameter: "include", value: "sensor_status_summary" }],
    ["refuses=from", { kind: "refuses", parameter: "from", value: undefined }],
    ["odd-records=10", { kind: "odd-records", every: 10 }],
  ])("%s", (text, action) => {
    expect(parseFault(text)).toMatchObject({ text, action, probability: 1, times: undefined, path: undefined });
  });
});

test.each([
  ["hang#0.25", { probability: 0.25, times: undefined }],
  ["hang#1.0", { probability: 1, times: undefined }],
  ["hang#after=5", { probability: 1, times: undefined, after: 5 }],
  ["hang#3,after=5", { probability: 1, times: 3, after: 5 }],
  ["hang#0.5,after=1", { probability: 0.5, times: undefined, after: 1 }],
  [
    "hang@/sensors?limit&include=*a*#1",
    {
      path: { glob: "/sensors" },
      times: 1,
      query: [
        { name: "limit", value: undefined },
        { name: "include", value: { glob: "*a*" } },
      ],
    },
  ],
  ["hang#1", { probability: 1, times: 1 }],
  ["hang#30", { probability: 1, times: 30 }],
  ["hang@/experimental/*#2", { times: 2, method: undefined }],
  ["error=500@POST:/session", { method: "POST" }],
])("share and method of %s", (text, expected) => {
  expect(parseFault(text)).toMatchObject(expected);
});

describe("body beside the fault", () => {
  test("leaves the text as written", () => {
    const text = "answer=503@/version#2";
    expect(parseFault(text, "<h1>%</h1>")).toMatchObject({
      text,
      action: { status: 503, type: "text/html; charset=utf-8", body: "<h1>%</h1>" },
    });
  });

  test("may be a lone surrogate", () => {
    expect(parseFault("answer=503", "\ud800").action).toMatchObject({ body: "\ud800" });
  });

  test.each([
    ["error=503", "body: only a fault such as answer=503 without a body of its own takes one"],
    ["answer=503,body=x", "body: only a fault such as answer=503"],
    ["answer=204", "an answer with status 204 has no body"],
  ])("does not go with %s", (text, complaint) => {
    expect(() => parseFault(text, "x")).toThrow(`fault "${text}": ${complaint}`);
  });
});

describe("errors of the grammar", () => {
  test.each([
    ["", "expected name[=argument]"],
    ["LATENCY=5s", "expected name[=argument]"],
    ["slow", 'there is no fault called "slow"'],
    ["latency", "latency takes a duration such as 200ms"],
    ["latency=200", "latency takes a duration"],
    ["latency=2s-1s", "latency takes a duration"],
    ["latency=1s-2s-3s", "latency takes a duration"],
    ["error", "error takes a status such as 503"],
    ["error=200", "error takes a status"],
    ["error=503,code=OOPS", "error takes a status"],
    ["error=503,retry-after=soon", "error takes a status"],
    ["hang=5s", "hang takes no argument"],
    ["html=x", "html takes no argument"],
    ["htlm", 'there is no fault called "htlm". The nearest names: html'],
    ["answer", "answer takes a status from 200 to 599"],
    ["answer=100", "answer takes a status"],
    ["answer=200,body=%", "answer takes a status"],
    ["answer=200,status=1", "answer takes a status"],
    ["answer=503,wait-for=2s", "answer takes a status"],
    ["answer=204,body=x", "an answer with status 204 has no body. Leave the body out"],
    ["answer=205,body=x", "an answer with status 205 has no body"],
    ["answer=304,body=x", "an answer with status 304 has no body"],
    ["error=503,retry-date=99999999999h", "error takes a status such as 503, optionally with"],
    ["error=503,wait-for=9000h", "error takes a status"],
    ["answer=503,retry-after=999999999999999999999h", "answer takes a status"],
    ["latency=9000h", "latency takes a duration"],
    ["restart=25h", "restart takes a duration such as 5s, at most a day"],
    ["wrong-length", "wrong-length takes a number of bytes"],
    ["wrong-length=0", "wrong-length takes a number of bytes"],
    ["hang#after=x", "# needs a probability"],
    ["hang#after=1,2", "# needs a probability"],
    ["hang#2,", "# needs a probability"],
    ["error=503,body=half", "error takes a status"],
    ["cut=middle", "cut takes body, start or reset"],
    ["endless=fast", "endless takes a size per second"],
    ["content-type", "content-type takes a type in printable ASCII"],
    ["parents", "parents takes chain, cycle, self, lost"],
    ["swapped-kinds=1", "swapped-kinds takes no argument"],
    ["skew=2h", "skew takes a shift such as +2h"],
    ["date=+9000h", "date takes a shift such as +2h"],
    ["restart", "restart takes a duration such as 5s"],
    ["truncate=2", "truncate takes a fraction"],
    ["redirect=", "redirect takes a location in printable ASCII"],
    ["redirect=/löschen", "redirect takes a location in printable ASCII"],
    ["missing=500", "missing takes 404, 405 or 501"],
    ["drip", "drip takes a size"],
    ["drip=0B", "drip takes a size"],
    ["moving-list=sideways", "moving-list takes delete, insert or reorder"],
    ["rounded=-1", "rounded takes decimal digits"],
    ["execution-timeout=4000", "execution-timeout takes the largest limit that works"],
    ["wrong-total=many", "wrong-total takes a number"],
    ["endless-list=3", "endless-list takes no argument"],
    ["large", "large takes a size such as 60MB"],
    ["large=60MB,stones", "large takes a size"],
    ["large=60MB,text,text", "large takes a size"],
    ["long-names=many", "long-names takes a size"],
    ["long-names=101MB", "long-names takes a size up to 100MB"],
    ["empty=air", "empty takes list, null, 204, body"],
    ["short-rows=0", "short-rows takes a number"],
    ["refuses", "refuses takes a parameter"],
    ["odd-records=0", "odd-records takes a number"],
    ["hang@experimental/sensors", "the path glob must begin with / or *"],
    ["hang#2.5", "# needs a probability"],
    ["hang#0", "# needs a probability"],
    ["hang#often", "# needs a probability"],
    ["hang#", "# needs a probability"],
  ])("%j", (text, complaint) => {
    expect(() => parseFault(text)).toThrow(FaultSyntaxError);
    expect(() => parseFault(text)).toThrow(`fault "${text}": ${complaint}`);
  });

  test.each([
    [`hang@/${"*a".repeat(500)}`, "the path glob has 1001 characters. Use at most 1000"],
    [`slow@${"*".repeat(20_000)}`, "the path glob has 20000 characters"],
    [`hang@*?${"a".repeat(1001)}`, "the query has 1001 characters. Use at most 1000"],
  ])("refuses a long glob", (text, complaint) => {
    expect(() => parseFault(text)).toThrow(complaint);
  });

  test("names the limit of a time", () => {
    expect(() => parseFault("error=503,retry-after=9000h")).toThrow("at most a year");
  });

  test("cuts a long fault", () => {
    const read = () => parseFault(`hang@/${"a".repeat(100_000)}`);
    expect(read).toThrow(/^fault "hang@\/a{494}\.\.\.": the path glob has 100001 characters/);
  });

  test("come as fault errors for any text", () => {
    const part = fc.constantFrom(
      "latency",
      "error",
      "cut",
      "drip",
      "=",
      "@",
      "#",
      "503",
      "1s",
      "-",
      ",",
      "/",
      "*",
      "(",
      "\\",
      "0.5",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(part).map((parts) => parts.join("")),
        ),
        (text) => {
          try {
            parseFault(text);
          } catch (error) {
            expect(error).toBeInstanceOf(FaultSyntaxError);
          }
        },
      ),
    );
  });
});

test("every example of the help is valid", () => {
  const lines = FAULT_HELP.split("\n").filter((line) => /^ {2,4}\S/.test(line));
  const examples = lines.flatMap((line) => (line.trim().split(/ {2,}/)[0] ?? "").split(" | "));
  const spelledOut = examples.flatMap((example) => {
    const [name, choices = ""] = example.split("=");
    return choices.includes("|") ? choices.split("|").map((choice) => `${name}=${choice}`) : [example];
  });
  expect(spelledOut.length).toBeGreaterThan(15);
  for (const example of spelledOut) expect(parseFault(example).text).toBe(example);
  for (const [, example = ""] of FAULT_HELP.matchAll(/--fault '?([^' \n]+)/g))
    expect(parseFault(example).text).toBe(example);
});
