import { describe, expect, test } from "vitest";
import { ownComment, ownKeyOf, partsOf, SILENCE_AUTHOR, sensorKey } from "../../src/sync/own-silences.ts";

const createdBy = `${SILENCE_AUTHOR}hq`;

describe.each(["hq", "a/b]", "Zürich 1", "100%", "[prtg-exporter sync: x]"])("the server %s", (server) => {
  test.each(["acknowledged", "paused"])("is in the key of a silence for an object that is %s", (what) => {
    const key = `${what} ${sensorKey(server, "2003")}`;
    expect(ownKeyOf({ createdBy, comment: ownComment("text [with] marks", key) })).toEqual({ text: key, server });
  });

  test("is in the key of a sensor", () => {
    expect(partsOf(sensorKey(server, "2003"))).toEqual({ server, sensorId: "2003" });
  });
});

test.each([
  ["an author of the user", "ann", "text [prtg-exporter sync: acknowledged hq/1]"],
  ["no mark", createdBy, "text"],
  ["text after the mark", createdBy, "[prtg-exporter sync: acknowledged hq/1] and more"],
  ["another kind of object", createdBy, "[prtg-exporter sync: resumed hq/1]"],
  ["no object", createdBy, "[prtg-exporter sync: acknowledged hq]"],
  ["a server name that is not encoded", createdBy, "[prtg-exporter sync: acknowledged %zz/1]"],
])("a silence with %s is of a user", (_, author, comment) => {
  expect(ownKeyOf({ createdBy: author, comment })).toBeUndefined();
});

test("reads a comment with many unclosed marks in linear time", () => {
  const comment = "[prtg-exporter sync: paused hq/".repeat(50_000);
  const begin = performance.now();
  expect(ownKeyOf({ createdBy, comment })).toBeUndefined();
  expect(performance.now() - begin).toBeLessThan(200);
});
