import { describe, expect, test } from "vitest";
import { nearest } from "../../src/lib/nearest-word.ts";

const KEYS = ["name", "url", "auth", "tls", "limits", "schedule", "enabled", "ca_file", "api_key_file", "api_key"];

describe("nearest", () => {
  test.each([
    ["shedule", "schedule"],
    ["scheduel", "schedule"],
    ["schedules", "schedule"],
    ["Schedule", "schedule"],
    ["caFile", "ca_file"],
    ["ca-file", "ca_file"],
    ["api_keyfile", "api_key_file"],
    ["apikey", "api_key"],
    ["uri", "url"],
    ["nmae", "name"],
    ["limit", "limits"],
  ])("takes %s for %s", (word, key) => {
    expect(nearest(word, KEYS)).toBe(key);
  });

  test.each(["otlp", "mapping", "x", "", "interval", "password", "xxem"])("has no guess for %j", (word) => {
    expect(nearest(word, KEYS)).toBeUndefined();
  });
});
