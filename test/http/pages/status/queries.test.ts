import { expect, it } from "vitest";
import { familyOf, queryOf, selectorOf } from "../../../../src/http/pages/status/queries.ts";

const LINE = String.raw`prtg_channel_value{server="h\"q",sensor_id="2490",channel_id="-4",path="a \"sensor_id=\\ b",my_server="x",unit="%"} 5`;

it("selects an object by server and ids, which outlast names", () => {
  expect(selectorOf(LINE)).toBe(String.raw`{server="h\"q", sensor_id="2490", channel_id="-4"}`);
});

it("queries the family of the line", () => {
  expect(queryOf(LINE)).toBe(String.raw`prtg_channel_value{server="h\"q", sensor_id="2490", channel_id="-4"}`);
  expect(familyOf("up 1")).toBe("up");
});
