import { expect, test } from "vitest";
import { serverVersion } from "../../src/mapping/server-version.ts";

test.each([
  [{ version: "25.3.110.1313" }, "25.3.110.1313"],
  [{ appserver_version: "1.2.3", prtg_version: "25.3.110" }, "25.3.110"],
  [{ "appserver.version": "1.2.3", "prtg.version": " 25.3.110 " }, "25.3.110"],
  [{ appServerVersion: "1.2.3", coreVersion: "25.3.110" }, "25.3.110"],
  [{ prtg_application_server: "1.2.3", version: "25.3.110" }, "25.3.110"],
  [{ build: "9.9", version: "25.3.110" }, "25.3.110"],
  [{ edition: "prtg500", server_version: "25.3.110" }, "25.3.110"],
  [{ anything: "v25.3" }, "v25.3"],
  [{ appserver: "1.2.3" }, "1.2.3"],
  [{ prtg_edition: "PRTG 500, core 1.2", version: "25.3.110" }, "25.3.110"],
  [{ core_count: "4", core_path: "v.x", version: "25.3" }, "25.3"],
  [{ prtg_build: "25", version: "25.10" }, "25.10"],
  [{ name: "Core" }, undefined],
  [{}, undefined],
])("the version in %j is %s", (members, expected) => {
  expect(serverVersion(new Map(Object.entries(members)))).toBe(expected);
});
