import { describe, expect, test } from "vitest";
import { parseCertificates, parsePrivateKey, readPem } from "../../../src/http/web-config/pem-settings.ts";
import { certificate } from "../../support/certificates.ts";

const READS = { base: "/etc/site", readFile: async (path: string) => `content of ${path}` };
const FAILS = { base: "/", readFile: () => Promise.reject(Object.assign(new Error("no"), { code: "ENOENT" })) };

const read = (inline: unknown, file?: string) => readPem("cert", inline, file, READS);

describe("setting of a PEM text", () => {
  test.each([undefined, null, ""])("is not set if it is %j", async (inline) => {
    expect(await read(inline)).toBeUndefined();
  });

  test("is the text itself, or the content of a file, which wins", async () => {
    expect(await read("PEM")).toEqual({ key: "cert", content: "PEM" });
    const ofFile = { key: "cert_file", content: "content of /etc/site/a.pem" };
    expect(await read(undefined, "a.pem")).toEqual(ofFile);
    expect(await read("PEM", "/etc/site/a.pem")).toEqual(ofFile);
  });

  test.each([5, true, ["PEM"], {}])("is a fault that does not show the value if it is %j", async (inline) => {
    await expect(read(inline)).rejects.toMatchObject({
      problem: {
        path: ["tls_server_config", "cert"],
        text: "expected a PEM text, found something else (not shown)",
      },
    });
  });

  test.each([
    { what: "a path", file: "a.pem", shown: "a.pem" },
    { what: "the longest path", file: "x".repeat(300), shown: "x".repeat(300) },
    { what: "a text that is too long for a path", file: "x".repeat(301), shown: "the file (name not shown)" },
    { what: "lines", file: "-----BEGIN\nsecret", shown: "the file (name not shown)" },
    { what: "lines with carriage returns", file: "a\rb", shown: "the file (name not shown)" },
  ])("names a file that cannot be read, but not a PEM text in its place: $what", async ({ file, shown }) => {
    await expect(readPem("key", undefined, file, FAILS)).rejects.toMatchObject({
      problem: {
        path: ["tls_server_config", "key_file"],
        text: `${shown} cannot be read: no such file`,
        code: "WEB_CONFIG_UNREADABLE",
      },
    });
  });
});

describe("certificates of a PEM text", () => {
  const CA = certificate("ca.pem");
  const parse = (content: string) => parseCertificates({ key: "cert", content });

  test("are all of them, in any wording and with text around them", () => {
    const other = CA.replaceAll("CERTIFICATE", "TRUSTED CERTIFICATE");
    const subjects = parse(`# chain\n${certificate("localhost.pem")}\n${CA}trailer`).map(({ subject }) => subject);
    expect(subjects).toEqual(["CN=localhost", "CN=prtg-exporter test authority"]);
    expect(() => parse(other)).not.toThrow("contains no PEM certificate");
  });

  test("name the damaged one by its number", () => {
    const damaged = CA.replace(/\n[A-Za-z0-9+/]{20}/, "\nAAAAAAAAAAAAAAAAAAAA");
    expect(() => parse(CA + damaged)).toThrow("certificate 2 is damaged");
  });

  test("are a fault if there is none", () => {
    for (const content of ["", "text", certificate("localhost.key.pem")]) {
      expect(() => parse(content)).toThrow("contains no PEM certificate");
    }
  });
});

test("a private key needs PEM", () => {
  expect(parsePrivateKey({ key: "key", content: certificate("localhost.key.pem") }).type).toBe("private");
  for (const content of ["", certificate("ca.pem")]) {
    expect(() => parsePrivateKey({ key: "key", content })).toThrow("contains no private key in PEM");
  }
});
