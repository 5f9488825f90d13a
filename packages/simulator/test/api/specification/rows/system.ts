import { expect } from "vitest";
import { LOOKUPS } from "../../../../src/world/sensors/lookups.ts";
import { SENSOR_KINDS } from "../../../../src/world/sensors/sensor-kinds.ts";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { finds, ids, type Row, row } from "../row.ts";
import { ID } from "../specified-world.ts";

const RELEASE = expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/);

const OPTIONS = [
  ["interval", 60, "60 seconds"],
  ["interval", 300, "5 minutes"],
  ["interval", 3600, "1 hour"],
  ["errorintervalsdown", 0, "Down at once"],
  ["errorintervalsdown", 1, "Down after 1 interval"],
  ["ipversion", 1, "IPv6"],
  ["dependencytype", 0, "The parent"],
  ["priority", 5, "★★★★★"],
  ["schedule", "none", "none"],
  ["discoveryschedule", "weekly", "weekly"],
  ["devicetemplate", "generic-ping.odt", "Generic Device (PING only)"],
  ["deviceicon", "a_server_1", "a_server_1"],
  ["lookup", "prtg.simulated.door", "Rack Door"],
  ["usertype", "administrator", "administrator"],
  ["primarygroup", "200", "PRTG Administrators"],
  ["accesslevel", "FULL", "FULL"],
  [`primarychannel?id=${ID.up}`, ID.downtime, "Downtime"],
] as const;

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
    shows: {
      ...{ site_name: "PRTG Network Monitor (simulated)", language: "en", time_zone: "UTC", single_sign_on: false },
      password_reset: true,
    },
  }),
  row("getVersion", "version info", "/version", 200, { shows: { prtg_version: RELEASE, appserver_version: RELEASE } }),
  row(
    "listFeatureToggles",
    "an array of strings; allowed value EFeatureToggleSettingsV2",
    "/experimental/feature-toggles",
    200,
    { shows: ["EFeatureToggleSettingsV2"] },
  ),
  row("getLicense", "also for who sees a part of the tree", "/experimental/license", 200, {
    bearer: CREDENTIALS.restrictedApiKey,
  }),
  row("getLicense", "a license that covers the sensors", "/experimental/license", 200, {
    spelling: "live",
    before: [({ simulator: { world, now } }) => world.addSensor(ID.device, "one more", now())],
    shows: {
      ...{ edition: "PRTG 500", license_name: "Simulated Monitoring", status: "active", sensors_allowed: 500 },
      ...{ valid_until: "2027-03-12T00:00:00Z", sensors_used: 33 },
    },
  }),
  row("listDeviceTemplates", "device templates", "/experimental/devices/templates", 200, {
    shows: expect.toSatisfy(
      (templates: readonly { readonly id: string; readonly sensor_kinds: readonly string[] }[]) =>
        templates.length > 5 &&
        templates.every(
          ({ id, sensor_kinds }) => /\.odt$/.test(id) && sensor_kinds.every((kind) => SENSOR_KINDS.has(kind)),
        ),
    ),
  }),
  row("listDeviceIcons", "id, href and extensions of each", "/devices/icons", 200, {
    shows: expect.toSatisfy(
      (icons: readonly { readonly id: string }[]) => new Set(icons.map(({ id }) => id)).size === icons.length,
    ),
    after: [
      ({ received: { json } }) =>
        expect((json as readonly object[])[0]).toEqual({
          ...{ id: "a_server_1", href: "/icons/devices/a_server_1", extensions: ["svg", "png"] },
        }),
    ],
  }),
  row("listLibraries", "library info", "/libraries", 200, { shows: ids("301", "302", "303", "304", "305") }),
  row("listLibraries", "nodes with the number of objects that the user sees", "/libraries", 200, {
    bearer: CREDENTIALS.restrictedApiKey,
    before: [
      ({ simulator: { world } }) => {
        for (const sensor of world.list("sensor")) sensor.tags = ["snmptrafficsensor"];
        for (const device of world.list("device")) device.tags = [];
      },
    ],
    after: [
      ({ simulator: { world }, received: { json } }) =>
        expect((json as readonly object[])[0]).toEqual({
          ...{ id: "301", name: "Bandwidth", comment: "All lines, by role", tags: ["traffic"], priority: 4 },
          ...{ favorite: true, active: true },
          nodes: [
            {
              ...{ name: "All Interfaces", kind: "sensor", tags: ["snmptrafficsensor"] },
              objects: world.node(ID.elsewhere)?.children.length,
            },
            { name: "Routers", kind: "device", tags: ["router"], objects: 0 },
            { name: "Firewalls", kind: "device", tags: ["firewall"], objects: 0 },
          ],
        }),
    ],
  }),
  ...(
    [
      [{ filter: 'name = "Bandwidth"' }, "301"],
      [{ filter: "favorite = true" }, "301 303"],
      [{ filter: "active = false or priority >= 5" }, "303 305"],
      [{ filter: 'comment matches "facility"' }, "304"],
      [{ filter: 'tags contains "vmware"' }, "305"],
      [{ filter: "type = library and status = up", sort_by: "-priority,name" }, "303 301 302 304"],
      [{ sort_by: "name", limit: "2" }, "303 301"],
    ] as const
  ).map(([parameters, found]) => finds("listLibraries", "/libraries", parameters, found)),
  row("listLookupDefinitions", "lookup definitions", "/lookup-definitions", 200, {
    shows: ids(...LOOKUPS.map(({ id }) => id)),
  }),
  ...(
    [
      [{ filter: 'lookupdefinitionid = "prtg.simulated.door"' }, "prtg.simulated.door"],
      [{ filter: 'lookupdefinitionid matches "power"' }, "prtg.simulated.power.state prtg.simulated.power.supply"],
      [{ filter: "lookuptype = bitfield" }, "prtg.simulated.paper.tray"],
      [{ sort_by: "-name", limit: "2" }, "prtg.simulated.service.state prtg.simulated.power.state"],
    ] as const
  ).map(([parameters, found]) => finds("listLookupDefinitions", "/lookup-definitions", parameters, found)),
  row("getLookupDefinition", "one lookup definition", "/lookup-definitions/prtg.simulated.door", 200, {
    shows: { id: "prtg.simulated.door" },
  }),
  row("getLookupDefinition", "ranges of values", "/lookup-definitions/prtg.simulated.certificate.keylength", 200, {
    shows: {
      ...{ name: "Certificate Key Length", lookup_type: "range", desired_value: 4096 },
      href: "/api/v2/lookup-definitions/prtg.simulated.certificate.keylength",
      values: [
        { value: 0, to: 1023, text: "Unsafe", state: "error" },
        { value: 1024, to: 2047, text: "Weak", state: "warning" },
        { value: 2048, to: 3071, text: "Good", state: "ok" },
        { value: 3072, to: 16_384, text: "Very Good", state: "ok" },
      ],
    },
  }),
  row("getSettingLookup", "the values of a setting", "/setting-lookups/interval", 200, { shows: { name: "interval" } }),
  ...OPTIONS.map(([name, value, text]) =>
    row("getSettingLookup", `the option ${text}`, `/setting-lookups/${name}`, 200, {
      shows: { options: expect.arrayContaining([{ value, text }]) },
    }),
  ),
  row("getSettingLookup", "values are texts on live servers", "/setting-lookups/interval", 200, {
    spelling: "live",
    shows: { options: expect.arrayContaining([{ value: "300", text: "5 minutes" }]) },
  }),
  row("getSettingLookup", "only groups that the user sees", "/setting-lookups/primarygroup", 200, {
    bearer: CREDENTIALS.restrictedApiKey,
    shows: { options: [{ value: "211", text: "Restricted User's Group" }] },
  }),
  ...[`interval?id=${ID.device}`, `priority?id=${ID.channel}`, "schedule?id="].map((name) =>
    row("getSettingLookup", "an id that does not change the values", `/setting-lookups/${name}`, 200),
  ),
  row("getSettingLookup", "no such setting", "/setting-lookups/name", "404 NOT_FOUND"),
  row(
    "getSettingLookup",
    "an object of another kind",
    `/setting-lookups/primarychannel?id=${ID.device}`,
    "404 NOT_FOUND",
  ),
  row("getSettingLookup", "an object that is not visible", `/setting-lookups/interval?id=${ID.up}`, "404 NOT_FOUND", {
    bearer: CREDENTIALS.restrictedApiKey,
  }),
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
