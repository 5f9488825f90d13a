import { expect, test } from "vitest";
import { parseListenAddress } from "../../../src/http/server/listener.ts";

test.each([
  [":9705", { host: undefined, port: 9705 }],
  ["127.0.0.1:0", { host: "127.0.0.1", port: 0 }],
  ["localhost:80", { host: "localhost", port: 80 }],
  ["[::1]:9705", { host: "::1", port: 9705 }],
])("reads %s", (text, address) => {
  expect(parseListenAddress(text)).toEqual(address);
});

test.each(["", "9705", "localhost", ":99999", "::1:9705", ":abc", "a b:1", "http://x:1"])("rejects %j", (text) => {
  expect(() => parseListenAddress(text)).toThrow(expect.objectContaining({ code: "LISTEN_FAILED" }));
});
