import { describe, expect, test } from "vitest";
import { complaintAbout } from "../../support/contract-check.ts";

const JSON_TYPE = { "content-type": "application/json; charset=utf-8", "x-request-id": "1" };
const SENSOR = {
  ...{ id: "1", name: "a", href: "/api/v2/sensors/1", kind: "ping", type: "sensor", basic: {}, status: "up" },
  parent: { id: "2", type: "REFERENCED_DEVICE", name: "b", href: "restricted" },
};

describe("contract check of answers", () => {
  test.each<
    [what: string, status: number, headers: Record<string, string>, body: unknown, complaint: RegExp | undefined]
  >([
    ["fits", 200, JSON_TYPE, SENSOR, undefined],
    ["has a section more", 200, JSON_TYPE, { ...SENSOR, more: { a: 1, b: ["c"] } }, undefined],
    ["lacks a member", 200, JSON_TYPE, { ...SENSOR, status: undefined }, /required property 'status'/],
    ["has a member of the wrong type", 200, JSON_TYPE, { ...SENSOR, name: 5 }, /\/name must be string/],
    ["has an unknown status", 200, JSON_TYPE, { ...SENSOR, status: "UP!" }, /\/status must be equal to one of/],
    [
      "has an additional member that is no section",
      200,
      JSON_TYPE,
      { ...SENSOR, more: "text" },
      /\/more must be object/,
    ],
    ["has an invalid time", 200, JSON_TYPE, { ...SENSOR, lastup: "today" }, /\/lastup must match format/],
    ["has another status", 418, JSON_TYPE, SENSOR, /which getSensor has not/],
    ["has an error of another status", 404, JSON_TYPE, { code: "FORBIDDEN", message: "", request_id: "1" }, /\/code/],
    ["lacks a header", 200, { ...JSON_TYPE, "x-request-id": "" }, SENSOR, /header X-Request-Id/],
    [
      "has another content type",
      200,
      { ...JSON_TYPE, "content-type": "text/html" },
      SENSOR,
      /content type is text\/html/,
    ],
    ["has an unexpected body", 202, { ...JSON_TYPE, "wait-for": "1" }, SENSOR, /there is a body/],
    ["waits for nothing", 202, JSON_TYPE, undefined, /header Wait-For is missing/],
  ])("reports an answer that %s", async (_, status, headers, body, complaint) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const answer = {
      method: "GET",
      target: "/api/v2/sensors/1?include=path",
      status,
      headers: new Headers(headers),
      text,
    };
    const found = await complaintAbout(answer);
    if (complaint === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(complaint);
  });

  test("rejects unknown paths and methods", async () => {
    const answer = { method: "GET", target: "/api/v2/nothing", headers: new Headers(), text: "" };
    expect(await complaintAbout({ ...answer, status: 404 })).toBeUndefined();
    expect(await complaintAbout({ ...answer, status: 200 })).toMatch("is not in the contract");
  });
});
