import { describe, expect, test } from "vitest";
import { prtgUrl } from "../../../src/app/reports/node-summary.ts";

describe("prtgUrl", () => {
  test.each([
    ["probe", "https://prtg.example.com/prtg/probenode.htm?id=40"],
    ["group", "https://prtg.example.com/prtg/group.htm?id=40"],
    ["device", "https://prtg.example.com/prtg/device.htm?id=40"],
    ["sensor", "https://prtg.example.com/prtg/sensor.htm?id=40"],
  ] as const)("leads to the page of a %s", (kind, expected) => {
    expect(prtgUrl("https://prtg.example.com/prtg", { kind, id: "40" })).toBe(expected);
  });

  test("encodes ids", () => {
    expect(prtgUrl("https://prtg.example.com", { kind: "sensor", id: "1&x=2" })).toBe(
      "https://prtg.example.com/sensor.htm?id=1%26x%3D2",
    );
  });

  test("is null without a URL of the web interface", () => {
    expect(prtgUrl(undefined, { kind: "sensor", id: "1" })).toBeNull();
  });
});
