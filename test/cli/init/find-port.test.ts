import { describe, expect, test } from "vitest";
import { candidateUrls, findApi, givenUrl } from "../../../src/cli/init/find-port.ts";
import { keyPair } from "../../support/certificates.ts";
import { testContext } from "../../support/simulated-exporter.ts";
import { simulateServer } from "../../support/simulated-server.ts";

test.each([
  ["prtg.example.com", "https://prtg.example.com"],
  ["prtg.example.com:8443", "https://prtg.example.com:8443"],
  ["http://prtg.example.com/", "http://prtg.example.com"],
  ["2001:db8::1", "https://[2001:db8::1]"],
  ["[2001:db8::1]:1616", "https://[2001:db8::1]:1616"],
  ["https://prtg.example.com/public/login.htm?loginurl=%2F", "https://prtg.example.com/public"],
  ["https://prtg.example.com/welcome.html#top", "https://prtg.example.com"],
  ["https://prtg.example.com:1616/api/v2/", "https://prtg.example.com:1616"],
  ["https://gate.example.com/prtg", "https://gate.example.com/prtg"],
])("%s is a URL of the server: %s", (text, url) => {
  expect(givenUrl(text)).toBe(url);
});

test.each(["", "ftp://prtg.example.com", "https://user:pass@prtg.example.com", "prtg example"])(
  "%j is no URL of a server",
  (text) => {
    expect(() => givenUrl(text)).toThrow(expect.objectContaining({ code: "INIT_URL_INVALID" }));
  },
);

test.each([
  [
    "https://prtg.example.com",
    ["https://prtg.example.com:1616", "https://prtg.example.com", "http://prtg.example.com:1615"],
  ],
  [
    "https://prtg.example.com:8443",
    ["https://prtg.example.com:8443", "https://prtg.example.com:1616", "http://prtg.example.com:1615"],
  ],
  ["https://prtg.example.com:1616", ["https://prtg.example.com:1616", "http://prtg.example.com:1615"]],
  [
    "http://prtg.example.com",
    ["https://prtg.example.com:1616", "http://prtg.example.com", "http://prtg.example.com:1615"],
  ],
  ["http://prtg.example.com:1615", ["http://prtg.example.com:1615", "https://prtg.example.com:1616"]],
  ["https://[2001:db8::1]", ["https://[2001:db8::1]:1616", "https://[2001:db8::1]", "http://[2001:db8::1]:1615"]],
])("%s has the candidates %j", (given, urls) => {
  expect(candidateUrls(given)).toEqual(urls);
});

describe("the API is found", () => {
  test("at the given URL, with any certificate and without credentials", async () => {
    const { url, requests } = await simulateServer({ tls: keyPair("prtg.example.com") });
    expect(await findApi(`${url}/api/v2`, testContext())).toEqual({ url });
    expect(requests.counts()).toEqual([expect.objectContaining({ route: "/health", count: 1 })]);
  });

  test("at port 1616, from the URL of the web interface", async () => {
    const { url, classicUrl } = await simulateServer({
      tls: keyPair("localhost"),
      ...{ host: "127.77.0.1", port: 1616, classicPort: 0 },
    });
    expect(url).toBe("https://127.77.0.1:1616");
    const fault = expect.stringMatching(/HTTP 302 redirect .*\[API_REDIRECTED\]/);
    expect(await findApi(`${classicUrl}/index.htm`, testContext())).toEqual({ url, other: { url: classicUrl, fault } });
    expect(await findApi("127.77.0.1", testContext())).toEqual({ url });
  });

  test("at port 1615 only if the URL begins with http", async () => {
    const { url } = await simulateServer({ host: "127.77.0.2", port: 1615 });
    expect(await findApi("http://127.77.0.2", testContext())).toEqual({ url });
    await expect(findApi("127.77.0.2", testContext())).rejects.toMatchObject({
      code: "INIT_NO_API",
      message: expect.stringContaining(`${url}: REST API v2 answers, but without TLS`),
    });
  });
});

test("a host without API v2 has an error per URL", async () => {
  const { classicUrl } = await simulateServer({ host: "127.77.0.3", classicPort: 0 });
  await expect(findApi(classicUrl ?? "", testContext())).rejects.toMatchObject({
    code: "INIT_NO_API",
    message: expect.stringMatching(/\[API_REDIRECTED\]\. https:\/\/127\.77\.0\.3:1616: .*\[API_CONNECTION_FAILED\]/),
  });
});
