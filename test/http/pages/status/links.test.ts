import { expect, it } from "vitest";
import {
  changesLink,
  explainLink,
  linkTo,
  nodeLink,
  overviewLink,
  problemsLink,
  runsLink,
  searchLink,
  serverLink,
} from "../../../../src/http/pages/status/links.ts";

const SENSOR = { server: "hq", id: "50" };
const QUESTION: Parameters<typeof searchLink>[0] = {
  ...{ text: "sw 1", server: "hq", statuses: ["down", "warning"], priorities: [4, 5] },
  ...{ tag: "wan", probe: "p&q", sort: { key: "name", isDescending: false }, page: 3 },
};

it.each([
  [overviewLink("", 1), "./"],
  [overviewLink("a&b", 2), "./?find=a%26b&page=2"],
  [problemsLink("grouped"), "./"],
  [problemsLink("single"), "./?view=single"],
  [serverLink("a b"), "./tree?server=a+b"],
  [linkTo("/metrics"), "./metrics"],
  [nodeLink(SENSOR), "./tree?server=hq&id=50"],
  [nodeLink(SENSOR, { from: 200, sort: "-name" }), "./tree?server=hq&id=50&from=200&sort=-name"],
  [nodeLink(SENSOR, { sort: { key: "since", isDescending: true } }), "./tree?server=hq&id=50&sort=-since"],
  [searchLink({}), "./search"],
  [searchLink({ text: "", tag: "", probe: "", page: 1 }), "./search?q="],
  [
    searchLink(QUESTION),
    "./search?q=sw+1&server=hq&status=down,warning&priority=4,5&tag=wan&probe=p%26q&sort=name&page=3",
  ],
  [changesLink(), "./changes"],
  [changesLink("hq", 1), "./changes?server=hq"],
  [changesLink("hq", 2), "./changes?server=hq&page=2"],
  [explainLink("50.1"), "./debug/explain?object=50.1"],
  [runsLink("a&b"), "./debug/runs?server=a%26b"],
])("link %#: %s has only parameters that differ from their defaults", (link, expected) => {
  expect(link).toBe(expected);
});
