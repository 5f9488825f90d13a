import { describe, expect, test } from "vitest";
import { parseServerUrl } from "../../src/config/fields.ts";

describe("parseServerUrl", () => {
  test.each([
    ["https://prtg.example.com:1616", "https://prtg.example.com:1616"],
    ["https://prtg.example.com:1616/", "https://prtg.example.com:1616"],
    ["https://prtg.example.com:1616/api/v2", "https://prtg.example.com:1616"],
    ["https://prtg.example.com:1616/api/v2/", "https://prtg.example.com:1616"],
    ["https://proxy.example.com/prtg/api/v2", "https://proxy.example.com/prtg"],
    ["https://proxy.example.com/prtg/", "https://proxy.example.com/prtg"],
    ["HTTP://[::1]:1615", "http://[::1]:1615"],
    ["http://10.0.0.1", "http://10.0.0.1"],
  ])("reads %s", (text, url) => {
    expect(parseServerUrl(text)).toEqual({ url });
  });

  test.each([
    ["", "does not begin with"],
    ["prtg.example.com", "does not begin with"],
    ["prtg.example.com:1616", "does not begin with"],
    ["https:prtg", "does not begin with"],
    ["ftp://prtg", "neither http nor https"],
    ["https://", "malformed"],
    ["https://a:99999", "malformed"],
    ["https://user@prtg", "credentials"],
    ["https://:word@prtg", "credentials"],
    ["https://prtg/?apitoken=word", "query"],
    ["https://prtg/?", "query"],
    ["https://prtg/#top", "fragment"],
  ])("rejects %j", (text, fault) => {
    expect(parseServerUrl(text)).toEqual({ fault: expect.stringContaining(fault) });
  });
});
