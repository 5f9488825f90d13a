import { describe, expect, test } from "vitest";
import { compileFilter } from "../../src/filter/compile.ts";
import { OPERATORS } from "../../src/filter/syntax.ts";
import { VOCABULARY } from "../../src/filter/vocabulary.ts";
import { StaticWorld } from "../support/static-world.ts";
import { scopeOf } from "../support/tree-filter.ts";

const SIX = "= != < <= > >=";

/** The specification's property tables, typed by hand. */
const PROPERTIES: readonly [name: string, value: string, operators: string][] = [
  // Current set.
  ["basic.host", '"x"', "= != in"],
  ["basic.hostv6", '"x"', "= != in"],
  ["id", '"x"', "= !="],
  ["kind", '"x"', "= !="],
  ["name", '"x"', "= != in"],
  ["parentid", '"x"', "= !="],
  ["basic.parenttags", '"x"', "contains"],
  ["basic.tags", '"x"', "contains"],
  ["status", "up", "= !="],
  ["type", "sensor", "= !="],
  ["favorite", "true", "= !="],
  ["primary", "true", "= !="],
  ["autodiscoveryjobgroup.discojobid", '"x"', "= !="],
  ["intervalgroup.interval", "60s", SIX],
  // Earlier set.
  ["active", "true", "= !="],
  ["activedirectory", "true", "= !="],
  ["admingroup", "true", "= !="],
  ["authorized", "true", "= !="],
  ["autodiscoveryactive", "true", "= !="],
  ["clusterprobe", "true", "= !="],
  ["clusterremoteprobe", "true", "= !="],
  ["restrictedsensormode", "true", "= !="],
  ["smallprobe", "true", "= !="],
  ["ticketmail", "true", "= !="],
  ["ticketmode", "true", "= !="],
  ["autodiscoveryprogress", "5", SIX],
  ["coverage", "5", SIX],
  ["limitmaxerror", "5", SIX],
  ["limitmaxwarning", "5", SIX],
  ["limitminerror", "5", SIX],
  ["limitminwarning", "5", SIX],
  ["percent", "5", SIX],
  ["performanceimpact", "5", SIX],
  ["priority", "5", SIX],
  ["downtimetotal", "60s", SIX],
  ["uptimetotal", "60s", SIX],
  ["scanninginterval", "60s", SIX],
  ["comment", '"x"', "= != matches"],
  ["location", '"x"', "= != matches"],
  ["message", '"x"', "= != matches"],
  ["dnsname", '"x"', "= != matches"],
  ["email", '"x"', "= != matches"],
  ["loginname", '"x"', "= != matches"],
  ["lookupdefinitionid", '"x"', "= != matches"],
  ["sensorkindname", '"x"', "= != matches"],
  ["primarygroup", '"x"', "= !="],
  ["ancestors", '"x"', "contains"],
  ["descendants", '"x"', "contains"],
  ["crossreference", '"x"', "contains"],
  ["tags", '"x"', "contains"],
  ["sensorkind", '"x"', "= != matches"],
  ["lookuptype", "single", "= !="],
  ["probestatus", "connected", "= !="],
  ["probestatusinfo", "outdated", "= !="],
  ["usertype", "readonly", "= !="],
  ["unittype", "5", "= !="],
];

const NEVER_ABSENT = ["id", "kind", "name", "type"];

const VALUES = ['"x"', "5", "60s", "true", "up"];

const EXPECTED: Readonly<Record<string, string>> = {
  '"x"': "value must be a text in double quotes",
  "5": "value must be a number",
  "60s": "value must be a duration such as 60s",
  true: "value must be true or false",
};

const scope = scopeOf(new StaticWorld(), "specification");

function refusal(filter: string): unknown {
  try {
    compileFilter(filter, scope);
    return undefined;
  } catch (error) {
    return error;
  }
}

test("the vocabulary has exactly the properties of the specification", () => {
  expect(Object.keys(VOCABULARY).sort()).toEqual(PROPERTIES.map(([name]) => name).sort());
});

describe.each(PROPERTIES)("property %s", (name, value, operators) => {
  const allowed = operators.split(" ");

  test.each(OPERATORS)("%s", (operator) => {
    const found = refusal(`${name} ${operator} ${operator === "in" ? `[${value}, ${value}]` : value}`);
    if (allowed.includes(operator)) {
      expect(found).toBeUndefined();
    } else {
      expect(found).toMatchObject({
        code: "INVALID_FILTER",
        position: name.length + 2,
        message: expect.stringContaining(
          `${name} cannot be compared with ${operator}, only with ${allowed.join(", ")}`,
        ),
      });
    }
  });

  test("permits nil if it can be absent", () => {
    const position = name.length + 4;
    if (NEVER_ABSENT.includes(name)) {
      expect(refusal(`${name} = nil`)).toMatchObject({ position, message: expect.stringContaining("never absent") });
    } else {
      expect(refusal(`${name} = nil`)).toBeUndefined();
      expect(refusal(`${name} != nil`)).toBeUndefined();
    }
    expect(refusal(`${name} < nil`)).toMatchObject({ code: "INVALID_FILTER" });
  });

  test("rejects values of other types and names the expected one", () => {
    const [operator = "="] = allowed;
    const position = name.length + operator.length + 3;
    const identifiers = value in EXPECTED ? undefined : value;
    for (const other of VALUES) {
      if (other === value || (other === "up" && identifiers !== undefined)) continue;
      const durationLacksSuffix = value === "60s" && other === "5";
      expect(refusal(`${name} ${operator} ${other}`)).toMatchObject({
        code: durationLacksSuffix ? "INVALID_DURATION" : "INVALID_FILTER",
        position,
        message: expect.stringContaining(
          durationLacksSuffix ? "value needs the suffix s" : (EXPECTED[value] ?? "value must be an identifier"),
        ),
      });
    }
    expect(refusal(`${name} ${operator} [${value}]`)).toMatchObject({ code: "INVALID_FILTER", position });
    if (identifiers === undefined) return;
    expect(refusal(`${name} ${operator} nonsense`)).toMatchObject({
      position,
      message: expect.stringMatching(`unknown identifier nonsense, expected one of .*${value}`),
    });
  });
});
