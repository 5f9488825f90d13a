import { describe, expect, test } from "vitest";
import {
  bytes,
  counted,
  duration,
  moment,
  momentInFull,
  number,
  shortened,
  span,
  utc,
  value,
} from "../../../../src/http/pages/status/figures.ts";
import { webAddress } from "../../../../src/http/pages/status/links.ts";

describe("figures", () => {
  test.each([
    [0, "0 ms"],
    [0.0017, "1.7 ms"],
    [0.34, "340 ms"],
    [1, "1 s"],
    [2.14, "2.1 s"],
    [90, "90 s"],
    [300, "5 min"],
    [7_200, "2 h"],
    [864_000, "10 d"],
    [-3, "-3 s"],
  ])("a duration of %d s reads %s", (seconds, text) => expect(duration(seconds)).toBe(text));

  test.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_000, "1 kB"],
    [588_123, "588 kB"],
    [1_234_567, "1.23 MB"],
    [7e15, "7,000 TB"],
  ])("%d bytes read %s", (count, text) => expect(bytes(count)).toBe(text));

  test.each([
    [0, "0"],
    [0.44471, "0.4447"],
    [12.3456, "12.346"],
    [1_500.272, "1,500.3"],
    [-2, "-2"],
    [0.000_012_34, "1.234e-5"],
    [1.5e18, "1.500e+18"],
  ])("a value of %d reads %s", (given, text) => expect(value(given)).toBe(text));

  test.each([
    [0, "0 probes"],
    [1, "1 probe"],
    [1_200, "1,200 probes"],
  ])("%d of a thing read %s", (count, text) => expect(counted(count, "probe")).toBe(text));

  test.each([
    ["", ""],
    ["12", "12"],
    ["123", "123"],
    ["1234", "123…"],
    // Characters, not UTF-16 units.
    ["🙂🙂🙂", "🙂🙂🙂"],
    ["🙂🙂🙂🙂", "🙂🙂🙂…"],
  ])("%j in three characters reads %j", (text, short) => expect(shortened(text, 3)).toBe(short));

  test("a count has separators", () => expect(number(1_234_567)).toBe("1,234,567"));

  test.each([
    ["2026-11-21T18:44:48.000Z", ">12 s ago<"],
    ["2026-11-21T18:45:00.400Z", ">now<"],
    ["2026-11-21T18:50:00.000Z", ">in 5 min<"],
  ])("the moment %s reads %s", (at, text) => {
    const shown = moment(at, "2026-11-21T18:45:00.000Z").toString();
    expect(shown).toContain(text);
    expect(shown).toContain(`datetime="${at}" title="${utc(at)}" data-relative`);
  });

  test.each([
    ["2026-11-21T18:33:00.000Z", "12 min"],
    ["2026-11-21T18:45:00.000Z", "1 s"],
    // The server's clock is ahead.
    ["2026-11-21T18:46:00.000Z", "1 s"],
  ])("since %s reads %s", (at, text) => {
    expect(span(at, "2026-11-21T18:45:00.000Z").toString()).toContain(`data-span>${text}</time>`);
  });

  test("a moment in full has its exact time", () => {
    const [at, now] = ["2026-11-21T18:44:48.000Z", "2026-11-21T18:45:00.000Z"];
    expect(momentInFull(at, now).toString()).toBe(
      `${moment(at, now).toString()} <span class="exact">2026-11-21 18:44:48 UTC</span>`,
    );
    expect(momentInFull(null, now).toString()).toBe(moment(null, now).toString());
  });

  test("never is a valid time", () => expect(moment(null, "2026-11-21T18:45:00.000Z").toString()).toContain("never"));

  test("exact times are UTC", () => expect(utc("2026-11-21T18:44:57.123Z")).toBe("2026-11-21 18:44:57 UTC"));
});

describe("addresses", () => {
  test.each(["javascript:alert(1)", " javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "nonsense", ""])(
    "%j is not a valid link",
    (url) => expect(webAddress(url)).toBeUndefined(),
  );

  test("a server is a valid link", () =>
    expect(webAddress("https://prtg.example.com:1616")).toBe("https://prtg.example.com:1616/"));
});
