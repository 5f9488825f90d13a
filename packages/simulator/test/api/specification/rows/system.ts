import { expect } from "vitest";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { ids, type Row } from "../row.ts";

/** Section System endpoints, and the rest about the installation. */
export const SYSTEM: readonly Row[] = [
  {
    operation: "getHealth",
    rule: "204 when it is up and connected; no auth",
    bearer: null,
    path: "/health",
    answers: 204,
  },
  {
    operation: "getHealth",
    rule: "503 when the core connection fails",
    fault: "error=503@/health",
    bearer: null,
    path: "/health",
    answers: "503 SERVICE_UNAVAILABLE",
  },
  {
    operation: "getHealth",
    rule: "503 when the license is inactive",
    fault: "error=503,code=LICENSE_INACTIVE@/health",
    bearer: null,
    path: "/health",
    answers: "503 LICENSE_INACTIVE",
  },
  {
    operation: "getPublicSettings",
    rule: "public settings; no auth",
    bearer: null,
    path: "/settings/public",
    answers: 200,
    shows: { site_name: expect.any(String) },
  },
  { operation: "getVersion", rule: "version info", path: "/version", answers: 200, shows: expect.any(Object) },
  {
    operation: "listFeatureToggles",
    rule: "an array of strings; allowed value EFeatureToggleSettingsV2",
    path: "/experimental/feature-toggles",
    answers: 200,
    shows: ["EFeatureToggleSettingsV2"],
  },
  { operation: "getLicense", rule: "not shown; an object", path: "/experimental/license", answers: 200, shows: {} },
  {
    operation: "getLicense",
    rule: "also for who sees a part of the tree",
    bearer: CREDENTIALS.restrictedApiKey,
    path: "/experimental/license",
    answers: 200,
  },
  {
    operation: "listDeviceTemplates",
    rule: "device templates",
    path: "/experimental/devices/templates",
    answers: 200,
    shows: expect.arrayContaining([expect.objectContaining({ id: "generic-snmp.odt" })]),
  },
  {
    operation: "listDeviceIcons",
    rule: "id, href and extensions of each",
    path: "/devices/icons",
    answers: 200,
    shows: expect.arrayContaining([
      { id: expect.any(String), href: expect.any(String), extensions: expect.arrayContaining([expect.any(String)]) },
    ]),
  },
  {
    operation: "listLibraries",
    rule: "library info",
    path: "/libraries",
    answers: 200,
    shows: ids("301", "302", "303", "304", "305"),
  },
  {
    operation: "listLookupDefinitions",
    rule: "lookup definitions",
    path: "/lookup-definitions",
    answers: 200,
    shows: expect.arrayContaining([expect.objectContaining({ id: "prtg.simulated.door" })]),
  },
  {
    operation: "getLookupDefinition",
    rule: "one lookup definition",
    path: "/lookup-definitions/prtg.simulated.door",
    answers: 200,
    shows: { id: "prtg.simulated.door" },
  },
  {
    operation: "getSettingLookup",
    rule: "the values of a setting",
    path: "/setting-lookups/interval",
    answers: 200,
    shows: { name: "interval" },
  },
  {
    operation: "getSettingLookup",
    rule: "id of an object that does not exist",
    path: "/setting-lookups/interval?id=999999",
    answers: "404 NOT_FOUND",
  },
  {
    operation: "getSettingLookup",
    rule: "a lookup of an object's own values needs its id",
    path: "/setting-lookups/primarychannel",
    answers: "400 BAD_REQUEST",
  },
];
