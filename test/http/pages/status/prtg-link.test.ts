import { describe, expect, test } from "vitest";
import { prtgLink } from "../../../../src/http/pages/status/prtg-link.ts";
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
