import { timestampOrNull } from "../../records/values.ts";
import type { Call, Endpoint, PublicCall } from "../endpoint.ts";
import { jsonReply, NO_CONTENT, type Reply } from "../reply.ts";

/** What there is to know about the installation as a whole, beside its release. */
export const SYSTEM: readonly Endpoint[] = [
  { operation: "getPublicSettings", access: "public", handle: publicSettings },
  { operation: "listFeatureToggles", access: "bearer", handle: () => jsonReply(JSON.stringify(FEATURE_TOGGLES)) },
  { operation: "getLicense", access: "bearer", handle: license },
  { operation: "listFeatureFlags", access: "bearer", handle: featureFlags },
  { operation: "getAssistantStatus", access: "bearer", handle: noAssistant },
  { operation: "startAssistantAnalysis", access: "bearer", handle: noAssistant },
];

/** "Allowed value `EFeatureToggleSettingsV2`": the pages for settings in their second version. Here it is on. */
const FEATURE_TOGGLES = ["EFeatureToggleSettingsV2"];

/** Fields are not shown: ours. */
function featureFlags(): Reply {
  return jsonReply(JSON.stringify(FEATURE_TOGGLES.map((name) => ({ name, enabled: true }))));
}

/** The simulated server has none; what one answers is not shown. */
function noAssistant(): Reply {
  return jsonReply('{"available":false}');
}

/** Fields are not shown: what a page for signing in needs to know. */
function publicSettings({ rendering }: PublicCall): Reply {
  const { name } = rendering.world.root;
  const settings = { site_name: name === "Root" ? "PRTG Network Monitor (simulated)" : name, language: "en" };
  const signingIn = { single_sign_on: false, password_reset: true };
  return jsonReply(JSON.stringify({ ...settings, time_zone: "UTC", ...signingIn }));
}

/** Fields are not shown: ours. */
function license({ installation, rendering }: Call): Reply {
  const { edition, sensors, validUntil } = installation.license;
  return jsonReply(
    JSON.stringify({
      edition,
      license_name: "Simulated Monitoring",
      status: "active",
      sensors_allowed: sensors ?? null,
      sensors_used: rendering.world.list("sensor").length,
      valid_until: timestampOrNull(rendering, validUntil),
    }),
  );
}

/** The simulated core is always connected and licensed; `error=503@/health` plays the rest. */
export const HEALTH: readonly Endpoint[] = [{ operation: "getHealth", access: "public", handle: () => NO_CONTENT }];

/** "Version info" has no fields shown anywhere; it is said to hold the version of the core and of the application server. */
export const VERSION: readonly Endpoint[] = [
  {
    operation: "getVersion",
    access: "bearer",
    handle: ({ rendering }) => {
      const { version } = rendering.spelling.release;
      return jsonReply(JSON.stringify({ prtg_version: version, appserver_version: version }));
    },
  },
];
