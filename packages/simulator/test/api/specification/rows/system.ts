import { expect } from "vitest";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { ids, type Row, row } from "../row.ts";

/** Section System endpoints, and the rest about the installation. */
export const SYSTEM: readonly Row[] = [
  row("getHealth", "204 when it is up and connected; no auth", "/health", 204, { bearer: null }),
  row("getHealth", "503 when the core connection fails", "/health", "503 SERVICE_UNAVAILABLE", {
    fault: "error=503@/health",
    bearer: null,
  }),
  row("getHealth", "503 when the license is inactive", "/health", "503 LICENSE_INACTIVE", {
    fault: "error=503,code=LICENSE_INACTIVE@/health",
    bearer: null,
  }),
  row("getPublicSettings", "public settings; no auth", "/settings/public", 200, {
    bearer: null,
    shows: { site_name: expect.any(String) },
  }),
  row("getVersion", "version info", "/version", 200, { shows: expect.any(Object) }),
  row(
    "listFeatureToggles",
    "an array of strings; allowed value EFeatureToggleSettingsV2",
    "/experimental/feature-toggles",
    200,
    { shows: ["EFeatureToggleSettingsV2"] },
  ),
  row("getLicense", "not shown; an object", "/experimental/license", 200, { shows: {} }),
  row("getLicense", "also for who sees a part of the tree", "/experimental/license", 200, {
    bearer: CREDENTIALS.restrictedApiKey,
  }),
  row("listDeviceTemplates", "device templates", "/experimental/devices/templates", 200, {
    shows: expect.arrayContaining([expect.objectContaining({ id: "generic-snmp.odt" })]),
  }),
  row("listDeviceIcons", "id, href and extensions of each", "/devices/icons", 200, {
    shows: expect.arrayContaining([
      { id: expect.any(String), href: expect.any(String), extensions: expect.arrayContaining([expect.any(String)]) },
    ]),
  }),
  row("listLibraries", "library info", "/libraries", 200, { shows: ids("301", "302", "303", "304", "305") }),
  row("listLookupDefinitions", "lookup definitions", "/lookup-definitions", 200, {
    shows: expect.arrayContaining([expect.objectContaining({ id: "prtg.simulated.door" })]),
  }),
  row("getLookupDefinition", "one lookup definition", "/lookup-definitions/prtg.simulated.door", 200, {
    shows: { id: "prtg.simulated.door" },
  }),
  row("getSettingLookup", "the values of a setting", "/setting-lookups/interval", 200, { shows: { name: "interval" } }),
  row(
    "getSettingLookup",
    "id of an object that does not exist",
    "/setting-lookups/interval?id=999999",
    "404 NOT_FOUND",
  ),
  row(
    "getSettingLookup",
    "a lookup of an object's own values needs its id",
    "/setting-lookups/primarychannel",
    "400 BAD_REQUEST",
  ),
];
