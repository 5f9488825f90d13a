/** Collected by hand. Everything else in the contract is our reading or was seen on live servers. */

const ACTIONS = ["pause", "resume", "scan"];
const KINDS = ["probes", "groups", "devices", "sensors"];

/** Section Endpoints by chapter, including "deprecated" and "experimental". */
export const SPECIFIED_OPERATIONS: readonly string[] = [
  // Authentication
  ...["POST /session", "GET /session", "DELETE /session"],
  // System
  ...[
    "GET /health",
    "GET /settings/public",
    "GET /version",
    "GET /experimental/feature-toggles",
    "GET /autodiscoveries",
  ],
  // Schemas
  ...["GET /schemas/{}", "GET /experimental/schemas/{}", "GET /experimental/schemas/{}/get"],
  ...["GET /experimental/schemas/{}/patch", "GET /experimental/schemas/{}/post", "GET /experimental/objects/{}/types"],
  // Objects
  ...[
    "GET /experimental/objects",
    "GET /objects",
    "GET /objects/count",
    "POST /objects/{}/move",
    "GET /setting-lookups/{}",
  ],
  // Probes, groups, devices, sensors
  ...KINDS.flatMap((kind) => [
    ...[`GET /${kind}/{}`, `GET /${kind}`, `GET /experimental/${kind}`, `GET /${kind}/{}/overview`],
    ...ACTIONS.flatMap((action) => [`POST /${kind}/{}/${action}`, `POST /${kind}/${action}`]),
    ...[`DELETE /experimental/${kind}/{}`, `POST /experimental/${kind}/{}/move`],
  ]),
  ...["GET /probes/{}/info", "POST /experimental/probes/{}/device", "POST /experimental/probes/{}/group"],
  ...["PATCH /experimental/groups/{}", "POST /experimental/groups/{}/group", "POST /experimental/groups/{}/device"],
  ...["POST /groups/{}/clone", "POST /devices/{}/clone", "POST /sensors/{}/clone"],
  ...["GET /experimental/devices/templates", "PATCH /devices/{}", "GET /devices/icons"],
  ...["GET /sensor-status-summary", "GET /sensor-status-summary/{}", "GET /sensors/alarms", "GET /sensors/{}/data"],
  ...["POST /sensors/{}/acknowledge", "POST /sensors/acknowledge", "PATCH /experimental/sensors/{}"],
  ...["POST /experimental/devices/{}/sensor", "POST /experimental/devices/{}/metascan"],
  // Channels
  ...[
    "GET /channels/{}",
    "GET /channels",
    "GET /experimental/channels",
    "GET /channels/data",
    "GET /channels/{}/overview",
  ],
  // Time series
  ...["GET /experimental/timeseries/{}/{}", "GET /experimental/timeseries/{}"],
  // Accounts
  ...[
    "GET /users",
    "GET /users/{}",
    "POST /users/{}/pause",
    "POST /users/{}/resume",
    "POST /users/pause",
    "POST /users/resume",
  ],
  ...[
    "POST /users/request-password",
    "POST /users/reset-password",
    "POST /users/api-keys/find",
    "GET /users/{}/api-keys",
  ],
  ...[
    "POST /users/{}/api-keys",
    "PATCH /users/api-keys/{}",
    "DELETE /users/api-keys/{}",
    "GET /usergroups",
    "GET /usergroups/{}",
  ],
  // Other deprecated read endpoints
  ...["GET /libraries", "GET /lookup-definitions", "GET /lookup-definitions/{}"],
  // Experimental endpoints listed only by method and path
  ...["GET /experimental/license", "GET /experimental/users", "GET /experimental/users/{}"],
  ...["GET /experimental/usergroups", "GET /experimental/usergroups/{}", "GET /experimental/autodiscoveryjobs"],
  ...["GET", "DELETE", "PATCH"].map((method) => `${method} /experimental/autodiscoveryjobs/{}`),
  ...["GET /experimental/autodiscoveryjobs/{}/history", "GET /experimental/autodiscoveryjobs/history"],
  "POST /experimental/autodiscoveryjobs/{}/start",
  ...["devices", "groups", "probes"].map((kind) => `POST /experimental/${kind}/{}/autodiscoveryjob`),
];

export const SPECIFIED_QUERY: readonly string[] = [
  ...["offset", "limit", "filter", "sort_by", "include", "sensor_status_summary", "include_all_channels"],
  ...["channels", "from", "to", "purpose", "parent", "kind", "id"],
];

export const SPECIFIED_HEADERS: readonly string[] = [
  ...["X-Request-Id", "Link", "X-Result-Count", "X-Total-Count", "Location", "Wait-For"],
];

const NODE = [
  "href",
  "id",
  "kind",
  "name",
  "basic",
  "intervalgroup",
  "scheduledependency",
  "path",
  "windowsconnection",
];

/** Sections Resources, Request body shapes and Other response shapes, by the contract's names. */
export const SPECIFIED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Reference: ["id", "type", "name", "href"],
  ProbeNode: [...NODE, "sensor_status_summary"],
  GroupNode: [...NODE, "sensor_status_summary"],
  DeviceNode: [...NODE, "sensor_status_summary"],
  SensorNode: ["href", "id", "kind", "name", "basic", "intervalgroup", "scheduledependency", "path"],
  ChannelNode: ["href", "id", "kind", "name", "basic", "alerting", "values", "path"],
  Section: ["_inheritancesource", "_inheritanceSource", "_inherited", "_shadowed"],
  ActionResult: ["node", "failure"],
  Error: ["code", "message", "request_id"],
  DeviceIcon: ["id", "href", "extensions"],
  CreatableKind: ["creatable", "hints", "kind", "name", "href", "description", "help", "Manual"],
  CreatableType: ["ID", "Name", "Description"],
  LoginRequest: ["username", "password"],
  LoginResult: ["token"],
  PauseRequest: ["duration", "message"],
  AcknowledgeRequest: ["duration", "message"],
  MultiPauseRequest: ["filter", "duration", "message"],
  MultiAcknowledgeRequest: ["filter", "duration", "message"],
  MultiResumeRequest: ["filter"],
  MultiScanRequest: ["filter"],
  MultiUserPauseRequest: ["filter"],
  CloneDeviceRequest: ["parent_id", "host", "position", "name", "service_url"],
  CloneGroupRequest: ["parent_id", "position", "name"],
  CloneSensorRequest: ["parent_id", "position", "name"],
  CloneRequest: ["parent", "position", "name", "host", "service_url"],
  MoveRequest: ["parent", "position", "position_preset"],
  FindApiKeyRequest: ["id", "key"],
  CreateApiKeyRequest: ["name", "description", "access_level"],
  EditApiKeyRequest: ["name", "description", "access_level"],
  RequestPasswordRequest: ["username"],
  ResetPasswordRequest: ["username", "password", "token"],
  IntervalSettings: ["interval", "errorintervalsdown"],
  WindowsSettings: ["windowslogindomain", "windowsloginusername", "windowsloginpassword"],
};

/** Columns Payload and Success response of section Endpoints. */
export interface SpecifiedShape {
  readonly query?: readonly string[];
  readonly body?: string;
  readonly success: readonly number[];
}

const LIST = ["offset", "limit", "filter", "sort_by"];
const TREE_LIST = ["offset", "limit", "filter", "include"];
const get = (...query: string[]): SpecifiedShape => ({ query, success: [200] });
const done = (body?: string): SpecifiedShape => ({ success: [204], ...(body === undefined ? {} : { body }) });
const results = (body: string): SpecifiedShape => ({ success: [200], body });
const created = (body: string): SpecifiedShape => ({ success: [201], body });

/** All operations with a documented payload and response. */
export const SPECIFIED_SHAPES: Readonly<Record<string, SpecifiedShape>> = {
  "POST /session": { success: [200], body: "Login" },
  "GET /session": get(),
  "DELETE /session": done(),
  "GET /health": { success: [204] },
  ...Object.fromEntries(
    ["/settings/public", "/version", "/experimental/feature-toggles", "/objects/count", "/probes/{}/info"].map(
      (path) => [`GET ${path}`, get()],
    ),
  ),
  "GET /autodiscoveries": get(...LIST),
  "GET /schemas/{}": get("purpose", "parent"),
  "GET /experimental/schemas/{}": get("offset", "limit"),
  "GET /experimental/schemas/{}/get": get("include"),
  "GET /experimental/schemas/{}/patch": get("include"),
  "GET /experimental/schemas/{}/post": get("kind", "include"),
  "GET /experimental/objects/{}/types": get("offset", "limit"),
  "GET /experimental/objects": get(...TREE_LIST),
  "GET /objects": get("offset", "limit", "filter", "sensor_status_summary"),
  "POST /objects/{}/move": done("Move"),
  "GET /setting-lookups/{}": get("id"),
  ...Object.fromEntries(
    KINDS.flatMap((kind) => [
      [`GET /${kind}/{}`, get("include")],
      [`GET /${kind}`, get(...LIST, kind === "sensors" ? "include_all_channels" : "sensor_status_summary")],
      [`GET /experimental/${kind}`, get(...TREE_LIST)],
      [`GET /${kind}/{}/overview`, get()],
      [`POST /${kind}/{}/pause`, done("Pause")],
      [`POST /${kind}/{}/resume`, done()],
      [`POST /${kind}/{}/scan`, done()],
      [`POST /${kind}/pause`, results("MultiPause")],
      [`POST /${kind}/resume`, results("MultiResume")],
      [`POST /${kind}/scan`, results("MultiScan")],
      [`DELETE /experimental/${kind}/{}`, done()],
    ]),
  ),
  "POST /experimental/probes/{}/device": created("CreateDevice"),
  "POST /experimental/probes/{}/group": created("CreateGroup"),
  "POST /experimental/groups/{}/device": created("CreateDevice"),
  "POST /experimental/groups/{}/group": created("CreateGroup"),
  "PATCH /experimental/groups/{}": done("EditGroup"),
  "PATCH /devices/{}": done("EditDevice"),
  "POST /groups/{}/clone": done("CloneGroup"),
  "POST /devices/{}/clone": done("CloneDevice"),
  "POST /sensors/{}/clone": done("CloneSensor"),
  "GET /experimental/devices/templates": get(),
  "GET /devices/icons": get(),
  "GET /sensor-status-summary": get(),
  "GET /sensor-status-summary/{}": get(),
  "GET /sensors/alarms": get(...LIST, "include_all_channels"),
  "GET /sensors/{}/data": get(...LIST),
  "POST /sensors/{}/acknowledge": done("Acknowledge"),
  "POST /sensors/acknowledge": results("MultiAcknowledge"),
  "GET /channels/{}": get("include"),
  "GET /channels": get(...LIST),
  "GET /experimental/channels": get(...TREE_LIST, "sort_by"),
  "GET /channels/data": get(...LIST),
  "GET /channels/{}/overview": get(),
  "GET /experimental/timeseries/{}/{}": get("channels"),
  "GET /experimental/timeseries/{}": get("channels", "from", "to"),
  "GET /users": get(...LIST),
  "GET /users/{}": get(),
  "POST /users/{}/pause": done(),
  "POST /users/{}/resume": done(),
  "POST /users/pause": results("MultiUserPause"),
  "POST /users/resume": results("MultiResume"),
  "POST /users/request-password": done("RequestPassword"),
  "POST /users/reset-password": done("ResetPassword"),
  "POST /users/api-keys/find": results("FindApiKey"),
  "GET /users/{}/api-keys": get(),
  "POST /users/{}/api-keys": results("CreateApiKey"),
  "PATCH /users/api-keys/{}": done("EditApiKey"),
  "DELETE /users/api-keys/{}": done(),
  "GET /usergroups": get(...LIST),
  "GET /usergroups/{}": get(),
  "GET /libraries": get(...LIST),
  "GET /lookup-definitions": get(...LIST),
  "GET /lookup-definitions/{}": get(),
};
