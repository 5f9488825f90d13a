import { describe, expect, it } from "vitest";
import { renderPage } from "../../../../src/http/pages/status/layout.ts";
import type { NodeReport, SensorReport } from "../../../../src/http/pages/status/report.ts";
import { SCRIPT, STYLE } from "../../../../src/http/pages/status/respond.ts";
import { familyOf, nodePage, queryOf, selectorOf } from "../../../../src/http/pages/status/sensor-view.ts";
import { nodeReport, sensorReport } from "./reports.ts";

const around = { telemetryPath: "/metrics", hasDebugPages: true, style: STYLE, script: SCRIPT };

function pageWith(changes: Partial<SensorReport>): string {
  const report = sensorReport();
  return renderPage(nodePage({ ...report, sensor: report.sensor && { ...report.sensor, ...changes } }, around), around);
}

describe("page of a sensor", () => {
  it("links to its neighbours on the device", () => {
    const page = pageWith({});
    expect(page).toContain('<a rel="prev" href="./tree?server=hq&amp;id=49">Previous: <bdi>Disk</bdi></a>');
    expect(page).toContain("Sensor 2 of 3");
    expect(page).toContain('<a rel="next" href="./tree?server=hq&amp;id=51">Next: <bdi>HTTP</bdi></a>');
  });

  it("has no links at the ends, and none for an only sensor", () => {
    const last = pageWith({
      siblings: { position: 3, total: 3, previous: { id: "49", name: "Disk" }, next: null },
    });
    expect(last).toContain('rel="prev"');
    expect(last).not.toContain('rel="next"');
    expect(pageWith({ siblings: { position: 1, total: 1, previous: null, next: null } })).not.toContain(
      "Sensors of the device",
    );
  });

  it("marks id and selector for the script, and offers no query without series", () => {
    const series = ['prtg_sensor_status{server="hq",sensor_id="50",path="a"} 1'];
    const page = pageWith({ series });
    expect(page).toContain('<code data-copy="id">50</code>');
    expect(page).toContain('<code data-copy="selector">{server=&quot;hq&quot;, sensor_id=&quot;50&quot;}</code>');
    // The second channel of the report has no series.
    expect(page.match(/data-copy="PromQL"/g)).toHaveLength(1);
    expect(pageWith({ series: [] })).not.toContain('data-copy="selector"');
  });

  it("counts the series of a channel by family", () => {
    const report = sensorReport();
    const [channel] = report.sensor?.channels ?? [];
    const series = ['a{x="1"} 1', 'a{x="2"} 1', "b 1"];
    const page = pageWith({ channels: channel === undefined ? [] : [{ ...channel, series }] });
    expect(page).toMatch(/<code>a<\/code> <span class="quiet">× 2<\/span>/);
    expect(page).toMatch(/<code>b<\/code> /);
  });

  it("shows limits with the unit, and marks those that the value exceeds", () => {
    const page = pageWith({});
    expect(page).toContain('<svg class="level"');
    expect(page).toMatch(/<span class="pill bad">.*error above 10 msec<\/span>/);
    expect(page).toContain("<li>odd 3 msec</li>");
  });
});

it("pages of sensors and devices link into PRTG", () => {
  for (const report of [sensorReport(), nodeReport()]) {
    const node = { ...report.node, prtg_url: "https://prtg.example.com/x?id=1" };
    const page = renderPage(nodePage({ ...report, node }, around), around);
    expect(page).toMatch(
      /<header class="title".*<a class="prtg" href="https:\/\/prtg.example.com\/x\?id=1"[^>]*>Open in PRTG/,
    );
  }
});

it("lists own links, without those that are not safe to follow", () => {
  const links = [
    { name: "Wiki & more", url: "https://wiki.example.com/?page=core-1" },
    { name: "Script", url: "javascript:alert(1)" },
    { name: "Tickets", url: "http://tickets.example.com/" },
  ];
  const page = (links: NodeReport["links"]) => renderPage(nodePage({ ...nodeReport(), links }, around), around);
  const shown = (address: string, name: string) =>
    `<li><a href="${address}" target="_blank" rel="noreferrer"><bdi>${name}</bdi></a></li>`;
  expect(page(links)).toContain(
    `<dt>Links</dt><dd><ul class="tags">${shown("https://wiki.example.com/?page=core-1", "Wiki &amp; more")}${shown("http://tickets.example.com/", "Tickets")}</ul></dd>`,
  );
  expect(page([])).not.toContain("<dt>Links</dt>");
  expect(page(links.slice(1, 2))).not.toContain("<dt>Links</dt>");
});

describe("PromQL of a line", () => {
  const LINE = String.raw`prtg_channel_value{server="h\"q",sensor_id="2490",channel_id="-4",path="a \"sensor_id=\\ b",my_server="x",unit="%"} 5`;

  it("selects an object by server and ids, which outlast names", () => {
    expect(selectorOf(LINE)).toBe(String.raw`{server="h\"q", sensor_id="2490", channel_id="-4"}`);
  });

  it("queries the family of the line", () => {
    expect(queryOf(LINE)).toBe(String.raw`prtg_channel_value{server="h\"q", sensor_id="2490", channel_id="-4"}`);
    expect(familyOf("up 1")).toBe("up");
  });
});
