/**
 * How sure a line is. `stated`: the specification names the release. `seen`: a client of live servers, or what the vendor
 * publishes, shows it. `read`: something is known, but not of which release; the release is ours.
 */
export type Certainty = "stated" | "seen" | "read";

/** What servers do differently beside the operations they have. */
export type Trait =
  /** Lists of probes, groups and devices say `SUMMED_INFO_UP` for `UP`. */
  "prefixedNodeStatus";

/** Something that not every release has. */
export interface ReleaseLine {
  readonly what: string;
  /** Of the contract. */
  readonly operations?: readonly string[];
  readonly trait?: Trait;
  /** The release that brought it, and the first one without it: the third number of a version, which counts all releases. */
  readonly from?: number;
  readonly until?: number;
  /** Where the specification and live servers differ. */
  readonly spelling?: "live" | "specification";
  readonly sure: Certainty;
}

/** What is not in every release, and nothing else; docs/simulator.md shows it release by release. */
export const RELEASE_TABLE: readonly ReleaseLine[] = [
  // Lists and time series.
  {
    what: "lists of probes, groups, devices, sensors and channels below `/experimental`",
    operations: ["listProbes", "listGroups", "listDevices", "listSensors", "listChannels"],
    from: 100,
    sure: "stated",
  },
  { what: "time series by type", operations: ["getTimeSeries"], from: 100, sure: "stated" },
  { what: "list of all objects below `/experimental`", operations: ["listObjects"], from: 108, sure: "stated" },
  {
    what: "users and user groups below `/experimental`",
    operations: ["listUsers", "getUser", "listUserGroups", "getUserGroup"],
    from: 102,
    sure: "stated",
  },
  {
    what: "license, device templates",
    operations: ["getLicense", "listDeviceTemplates"],
    // The specification writes 25.1.108; by the numbers of other releases that is 25.2.
    from: 108,
    sure: "stated",
  },
  // Changes of the tree.
  {
    what: "delete devices, create devices",
    operations: ["deleteDevice", "createProbeDevice", "createGroupDevice"],
    from: 100,
    sure: "stated",
  },
  { what: "kinds of objects that a parent can hold", operations: ["listCreatableTypes"], from: 102, sure: "stated" },
  {
    what: "delete probes, groups, sensors",
    operations: ["deleteProbe", "deleteGroup", "deleteSensor"],
    from: 104,
    sure: "stated",
  },
  { what: "create groups", operations: ["createProbeGroup", "createGroupGroup"], from: 106, sure: "stated" },
  {
    what: "move objects, probes, devices, sensors",
    operations: ["moveObject", "moveProbe", "moveDevice", "moveSensor"],
    from: 108,
    sure: "stated",
  },
  { what: "move groups, create sensors", operations: ["moveGroup", "createSensor"], from: 110, sure: "stated" },
  { what: "metascan", operations: ["startMetascan"], from: 112, sure: "stated" },
  // A client of live servers of 2026 found the plural missing; the description that the vendor published later has it.
  { what: "edit sensors", operations: ["editSensor"], from: 112, spelling: "specification", sure: "stated" },
  { what: "edit sensors", operations: ["editSensor"], from: 122, spelling: "live", sure: "seen" },
  {
    what: "edit sensors at `/experimental/sensor/{id}`",
    operations: ["editSensorAtSingular"],
    from: 112,
    spelling: "live",
    sure: "seen",
  },
  // Auto-discovery.
  {
    what: "auto-discovery jobs",
    operations: [
      "listAutodiscoveryJobs",
      "getAutodiscoveryJob",
      "editAutodiscoveryJob",
      "deleteAutodiscoveryJob",
      "listAutodiscoveryJobHistory",
      "listAutodiscoveryHistory",
      "startAutodiscoveryJob",
      "createProbeAutodiscoveryJob",
      "createGroupAutodiscoveryJob",
      "createDeviceAutodiscoveryJob",
    ],
    from: 122,
    sure: "stated",
  },
  {
    what: "start an auto-discovery of a group or device",
    operations: ["startGroupAutodiscovery", "startDeviceAutodiscovery"],
    from: 116,
    spelling: "live",
    sure: "seen",
  },
  {
    what: "auto-discovery jobs as `autodiscoverytasks`",
    operations: [
      "listAutodiscoveryJobsAsTasks",
      "getAutodiscoveryJobAsTask",
      "startAutodiscoveryJobAsTask",
      "createProbeAutodiscoveryJobAsTask",
    ],
    from: 122,
    spelling: "live",
    sure: "seen",
  },
  // The rest of what is published for newer releases.
  {
    what: "feature flags, the assistant",
    operations: ["listFeatureFlags", "getAssistantStatus", "startAssistantAnalysis"],
    from: 122,
    spelling: "live",
    sure: "seen",
  },
  {
    what: "clone objects at `/objects/{id}/clone`",
    operations: ["cloneObjectAtStable"],
    from: 122,
    spelling: "live",
    sure: "seen",
  },
  // How answers are spelled.
  {
    what: "`SUMMED_INFO_` before the status of probes, groups and devices in all lists",
    trait: "prefixedNodeStatus",
    until: 106,
    spelling: "live",
    sure: "read",
  },
];
