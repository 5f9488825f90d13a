import { describe, expect, test } from "vitest";
import { ExporterError } from "../../src/errors/exporter-error.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { createLogger, LOG_FORMATS, LOG_LEVELS, layoutOf } from "../../src/telemetry/logger.ts";

const SECRET = 'p4ss"w\\rd\n/ü';

describe.each(LOG_FORMATS)("%s logger", (format) => {
  test.each(LOG_LEVELS)("hides secrets at level %s", async (level) => {
    const redactor = new Redactor();
    redactor.add(SECRET);
    let written = "";
    const layout = await layoutOf(format);
    const log = createLogger({ level, layout, redactor, output: { write: (text: string) => (written += text) } });
    const error = new ExporterError("API_SERVER_ERROR", `server said ${SECRET}`, {
      cause: new Error(`cause ${SECRET}`),
    });
    for (const method of LOG_LEVELS) {
      log[method](
        { err: error, detail: { url: `https://x/?k=${encodeURIComponent(SECRET)}`, text: SECRET } },
        `message ${SECRET}`,
      );
      log[method](
        {
          headers: { authorization: "Bearer unregistered-1" },
          password: "unregistered-2",
          login: { token: "unregistered-3" },
        },
        "x",
      );
    }
    expect(written).toContain("API_SERVER_ERROR");
    expect(written).toContain("[redacted]");
    for (const form of [SECRET, JSON.stringify(SECRET).slice(1, -1), encodeURIComponent(SECRET), "unregistered"]) {
      expect(written).not.toContain(form);
    }
  });
});

test("the JSON logger writes level, time and message", () => {
  let written = "";
  const output = { write: (text: string) => (written += text) };
  const log = createLogger({ level: "info", redactor: new Redactor(), output });
  log.debug("not this");
  log.info({ server: "hq" }, "that");
  expect(JSON.parse(written)).toEqual({
    level: "info",
    time: expect.stringMatching(/^\d{4}-/),
    server: "hq",
    msg: "that",
  });
});

describe("secret with special characters", () => {
  test.each(["20260417", "true", "null", "4711", '","msg":"', "duration_ms"])(
    "%s leaves a line of valid JSON",
    (secret) => {
      const redactor = new Redactor();
      redactor.add(secret);
      let written = "";
      const output = { write: (text: string) => (written += text) };
      const log = createLogger({ level: "info", redactor, output });
      log.info(
        { bytes: 20260417, duration_ms: 4711.5, ok: true, none: null, list: [secret, { secret }] },
        `x${secret}`,
      );
      expect(JSON.parse(written)).toMatchObject({ level: "info", list: ["[redacted]", { secret: "[redacted]" }] });
      expect(written).not.toContain(secret);
      expect(written.endsWith("}\n")).toBe(true);
    },
  );
});

test.each(LOG_FORMATS)("the %s logger shows characters that would mislead a reader", async (format) => {
  let written = "";
  const output = { write: (text: string) => (written += text) };
  const log = createLogger({ level: "info", layout: await layoutOf(format), redactor: new Redactor(), output });
  log.info({ err: new Error("a\u202eb\u200b\u{e0041}\u2028\u009b"), name: "x\u2066" }, "said\u202e");
  expect(written.trimEnd()).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  for (const shown of ["202e}b", "200b", "e0041", "2028", "9b", "2066"]) expect(written).toContain(shown);
  if (format === "json") expect(JSON.parse(written)).toMatchObject({ msg: "said\\u{202e}", name: "x\\u{2066}" });
});

test("the text logger writes one line, including errors", async () => {
  let written = "";
  const output = { write: (text: string) => (written += text) };
  const layout = await layoutOf("text");
  const log = createLogger({ level: "info", layout, redactor: new Redactor(), output });
  log.warn({ err: new ExporterError("API_TIMEOUT", "too slow"), endpoint: "/health" }, "request failed");
  expect(written).toMatch(
    /^\[\d\d:\d\d:\d\d\] WARN: request failed \{.*"err":"too slow \[API_TIMEOUT\] .*","endpoint":"\/health"\}\n$/,
  );
});
