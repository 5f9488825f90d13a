/** What the specification names, written down by reading it; all else in the contract is our reading, or was seen on live servers. */

const ACTIONS = ["pause", "resume", "scan"];
const KINDS = ["probes", "groups", "devices", "sensors"];

/** Section Endpoints, chapter by chapter; "deprecated" and "experimental" included. */
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

/** Query parameters of section Endpoints. */
export const SPECIFIED_QUERY: readonly string[] = [
  ...["offset", "limit", "filter", "sort_by", "include", "sensor_status_summary", "include_all_channels"],
  ...["channels", "from", "to", "purpose", "parent", "kind", "id"],
];

/** Headers that answers have. */
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

/** Sections Resources and their fields, Request body shapes, Other response shapes; by the contract's name for the shape. */
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
