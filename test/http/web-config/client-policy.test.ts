import type { TLSSocket } from "node:tls";
import { describe, expect, test } from "vitest";
import { clientFault, subjectAlternativeNames } from "../../../src/http/web-config/client-policy.ts";
import type { ClientAuthType } from "../../../src/http/web-config/schema.ts";

/** Names of a certificate as Node.js writes them. `undefined`: the client sends no certificate. */
function socket(names: string | undefined, authorized = true): TLSSocket {
  const known = { authorized, authorizationError: authorized ? null : "UNABLE_TO_VERIFY_LEAF_SIGNATURE" };
  const certificate = names === undefined ? undefined : { subjectAltName: names === "" ? undefined : names };
  return { ...known, getPeerX509Certificate: () => certificate } as unknown as TLSSocket;
}

const NONE = "no client certificate";
const UNTRUSTED = "client certificate not trusted: UNABLE_TO_VERIFY_LEAF_SIGNATURE";
const UNNAMED = "client certificate without an allowed name";

describe("policy of client certificates", () => {
  test.each<[type: ClientAuthType, missing: string | undefined, untrusted: string | undefined]>([
    ["NoClientCert", undefined, undefined],
    ["RequestClientCert", undefined, undefined],
    ["RequireAnyClientCert", NONE, undefined],
    ["VerifyClientCertIfGiven", undefined, UNTRUSTED],
    ["RequireAndVerifyClientCert", NONE, UNTRUSTED],
  ])("%s refuses a missing certificate: %s, an untrusted one: %s", (type, missing, untrusted) => {
    const policy = { type, allowedSans: undefined };
    expect(clientFault(policy, socket(undefined))).toBe(missing);
    expect(clientFault(policy, socket("DNS:a", false))).toBe(untrusted);
    expect(clientFault(policy, socket("DNS:a"))).toBeUndefined();
  });

  test.each<[type: ClientAuthType, missing: string | undefined, other: string | undefined]>([
    ["NoClientCert", undefined, undefined],
    ["RequestClientCert", NONE, UNNAMED],
    ["RequireAnyClientCert", NONE, UNNAMED],
    ["VerifyClientCertIfGiven", NONE, UNNAMED],
    ["RequireAndVerifyClientCert", NONE, UNNAMED],
  ])("%s with allowed names refuses a missing certificate: %s, another name: %s", (type, missing, other) => {
    const policy = { type, allowedSans: ["one", "scraper.example.com"] };
    expect(clientFault(policy, socket(undefined))).toBe(missing);
    expect(clientFault(policy, socket("DNS:other.example.com"))).toBe(other);
    expect(clientFault(policy, socket(""))).toBe(other);
    expect(clientFault(policy, socket("DNS:x, DNS:scraper.example.com"))).toBeUndefined();
  });

  test("compares IPv6 addresses in any spelling", () => {
    const policy = { type: "RequireAndVerifyClientCert", allowedSans: ["2001:db8:0:0::1"] } as const;
    expect(clientFault(policy, socket("IP Address:2001:DB8:0:0:0:0:0:1"))).toBeUndefined();
    expect(clientFault(policy, socket("IP Address:2001:DB8:0:0:0:0:0:2"))).toBe(UNNAMED);
  });
});

test.each([
  ["DNS:a.example.com, DNS:*.b.example.com", ["a.example.com", "*.b.example.com"]],
  [
    "IP Address:10.0.0.1, email:me@example.com, URI:spiffe://example/x",
    ["10.0.0.1", "me@example.com", "spiffe://example/x"],
  ],
  ['URI:"http://a/x, DNS:evil", DNS:b', ["http://a/x, DNS:evil", "b"]],
  ['DNS:"a\\u0000b", DNS:c', ["a\0b", "c"]],
  ['DNS:"\\x", DNS:c', ["c"]],
  ["DirName:CN = a, DNS:b", ["b"]],
  ["Registered ID:1.2.3, DNS:b", ["b"]],
  ["", []],
  ['DNS:a, DNS:b"c, DNS:d', ["a"]],
])("the names of %j are %j", (text, names) => {
  expect(subjectAlternativeNames(text)).toEqual(names);
});
