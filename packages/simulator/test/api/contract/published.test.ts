import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { openDocument } from "../../../src/api/contract/document.ts";
import { publishedContract } from "../../../src/api/contract/published.ts";
import { RELEASE_NAMES, type ReleaseName, releaseOf, type SpellingName } from "../../../src/release/release.ts";
import { CREDENTIALS, type Sent, startService } from "../../support/running-service.ts";

const whole = await openDocument();
const PAIRS = (["specification", "live"] as const).flatMap((spelling) =>
  RELEASE_NAMES.map((release) => [spelling, release] as const),
);

interface Published {
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: object }>> };
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { operationId: string; parameters?: object[]; responses: object }>>>
  >;
}

function published(spelling: SpellingName, release: ReleaseName): Published {
  return publishedContract(whole, releaseOf(release, spelling)) as Published;
}

/** Records that depend on the spelling. */
const FORMS = [
  ["ChannelMeasurement", "/channels/data"],
  ["SensorStatusSummary", "/sensor-status-summary"],
  ["LoginResult", "/session"],
] as const;

function fieldsOf({ components }: Published, schema: string): object {
  return components.schemas[schema]?.properties ?? {};
}

function operationsOf({ paths }: Published): string[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
}

describe("contract of one release in one spelling", () => {
  // The validator needs most of a second for each.
  const validated = process.env.PRTG_EXPORTER_NIGHTLY === "1" ? PAIRS : PAIRS.filter((_, at) => at % 7 === 0);

  test.each(validated)("%s %s is a valid OpenAPI document", async (spelling, release) => {
    const { valid, errors } = await new Validator().validate(published(spelling, release) as never);
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  test.each(PAIRS)("%s %s lacks the other spelling and links to absent operations", (spelling, release) => {
    const document = published(spelling, release);
    const text = JSON.stringify(document);
    expect(text).not.toContain(`"x-spelling":"${spelling === "live" ? "specification" : "live"}"`);
    const named = [...text.matchAll(/"operationId":"(\w+)"/g)].map(([, id = ""]) => id);
    const known = new Set(operationsOf(document));
    expect(named.filter((id) => !known.has(id))).toEqual([]);
  });

  test.each<[SpellingName, ReleaseName, readonly string[], readonly string[]]>([
    ["specification", "24.3", ["listSensors", "deleteDevice"], ["deleteSensor", "listObjects", "editSensor"]],
    ["specification", "25.1", ["deleteSensor"], ["createGroupGroup", "getLicense"]],
    ["specification", "25.4", ["editSensor", "startMetascan"], ["editSensorAtSingular", "listAutodiscoveryJobs"]],
    [
      "specification",
      "26.3",
      ["editSensor"],
      ["getAssistantStatus", "listFeatureFlags", "listAutodiscoveryJobsAsTasks"],
    ],
    ["live", "25.4", ["editSensorAtSingular"], ["editSensor", "getAssistantStatus", "startDeviceAutodiscovery"]],
    ["live", "26.3", ["editSensor", "getAssistantStatus", "listFeatureFlags", "listAutodiscoveryJobsAsTasks"], []],
  ])("%s %s", (spelling, release, there, absent) => {
    const known = operationsOf(published(spelling, release));
    expect(there.filter((id) => !known.includes(id))).toEqual([]);
    expect(absent.filter((id) => known.includes(id))).toEqual([]);
  });

  test("parameters and responses of a metascan use the spelling", () => {
    const metascan = (spelling: SpellingName) =>
      published(spelling, "26.3").paths["/experimental/devices/{id}/metascan"]?.post;
    const statuses = (spelling: SpellingName) =>
      Object.keys(metascan(spelling)?.responses ?? {}).filter((one) => one < "300");
    expect([statuses("specification"), statuses("live")]).toEqual([["200"], ["201"]]);
    expect(JSON.stringify(metascan("specification")?.parameters)).not.toContain("metascanLiveKind");
    expect(JSON.stringify(metascan("live")?.parameters)).not.toContain("metascanKind");
  });

  test.each<[SpellingName, string, string]>(
    (["specification", "live"] as const).flatMap((spelling) =>
      FORMS.map(([schema, path]): [SpellingName, string, string] => [spelling, schema, path]),
    ),
  )("%s: %s has only the fields of the spelling", async (spelling, schema, path) => {
    const { send } = await startService({ spelling });
    const sent: Sent =
      path === "/session"
        ? {
            method: "POST",
            body: JSON.stringify({ username: CREDENTIALS.username, password: CREDENTIALS.password }),
            bearer: null,
          }
        : {};
    const { status, json } = await send(path, sent);
    expect(status).toBe(200);
    const names = (name: SpellingName) => new Set(Object.keys(fieldsOf(published(name, "26.3"), schema)));
    const [own, other] = [names(spelling), names(spelling === "live" ? "specification" : "live")];
    const records: readonly object[] = Array.isArray(json) ? json : [json];
    const sentNames = [...new Set(records.flatMap((record) => Object.keys(record)))];
    expect(sentNames.filter((name) => !own.has(name))).toEqual([]);
    expect([...own].some((name) => !other.has(name)) || [...other].some((name) => !own.has(name))).toBe(true);
  });

  test("publishing does not change the whole contract", () => {
    expect(Object.values(whole.paths).flatMap((methods) => Object.values(methods))).toHaveLength(140);
  });
});
