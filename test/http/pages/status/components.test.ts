import { describe, expect, test } from "vitest";
import { factList, prtgLink, table } from "../../../../src/http/pages/status/components.ts";
import { asIs, summary } from "./reports.ts";

describe("prtgLink", () => {
  test("opens the object in a new tab and names it for screen readers", () => {
    expect(`${prtgLink(summary())}`).toBe(
      '<a class="prtg" href="https://prtg.example.com/device.htm?id=40" target="_blank" rel="noreferrer">PRTG<span class="hidden">: <bdi>sw-1</bdi></span></a>',
    );
    expect(`${prtgLink(summary(), "Open in PRTG")}`).toContain(">Open in PRTG<");
  });

  test.each([null, "javascript:alert(1)", "data:text/html,x", "prtg.example.com"])("is absent for %j", (prtg_url) => {
    expect(prtgLink(summary(asIs, { prtg_url }))).toBeUndefined();
  });
});

describe("factList", () => {
  test("omits facts without a value", () => {
    expect(
      `${factList([
        ["Id", "40"],
        ["Host", false],
        ["Tags", undefined],
      ])}`,
    ).toBe('<dl class="facts"><div><dt>Id</dt><dd>40</dd></div></dl>');
  });
});

describe("table", () => {
  const columns = [
    { title: "Name", value: ([name]: readonly string[]) => name },
    { title: "Count", isNumber: true, value: ([, count]: readonly string[]) => count },
    {
      title: "Unit",
      hasLabel: false,
      value: () => "s",
      className: ([name]: readonly string[]) => name === "b" && "old",
    },
  ];

  test("names rows by the first column and labels the others for narrow screens", () => {
    const text = `${table(columns, [
      ["a<", "1"],
      ["b", "2"],
    ])}`;
    expect(text).toContain(
      '<table class="cards"><thead><tr><th scope="col">Name</th><th scope="col" class="n">Count</th>',
    );
    expect(text).toContain('<tr><th scope="row">a&lt;</th><td class="n" data-label="Count">1</td><td>s</td></tr>');
    expect(text).toContain('<td class="old">s</td>');
  });

  test("shows a text instead of rows", () => {
    expect(`${table(columns, [], { className: false, none: "Nothing yet." })}`).toMatch(
      /^<table><thead>.*\n<tbody><tr><td colspan="3" class="none">Nothing yet\.<\/td><\/tr><\/tbody><\/table>$/,
    );
  });
});
