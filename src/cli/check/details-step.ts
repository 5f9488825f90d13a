import { isOnePerSensor } from "../../collectors/details-collector.ts";
import { PartialPoll } from "../../collectors/partial-poll.ts";
import { describeFault } from "../../errors/exporter-error.ts";
import type { LicenseUse } from "../../prtg/records.ts";
import type { FoundLists } from "./list-steps.ts";
import { ok, type Step, warning } from "./step.ts";

const REMEDY = "Nothing if they are not missed; else leave collectors.details off.";

/** Each on its own, as their collector reads them: names missing ones, and a failure leaves the others. */
export function detailsStep(found: FoundLists, isWhole: boolean): Step {
  return {
    subject: "details",
    reading: "details",
    remedy: REMEDY,
    run: async ({ api: { details }, signal }) => {
      const parts = new PartialPoll(signal);
      const texts: string[] = [];
      let read = 0;
      const tell = async (what: string, value: () => Promise<string | undefined>): Promise<void> => {
        const part = await parts.read(value);
        if (part !== undefined) read++;
        texts.push(`${what}: ${part === undefined ? "not read" : (part.value ?? "not told")}`);
      };
      if (isWhole) {
        await tell("license", async () => sensorsOf(await details.license(signal)));
        await tell("auto-discoveries under way", async () => (await details.autodiscoveries(signal))?.toString());
      }
      const probe = found.nodes.get("probe")?.[0]?.id;
      if (probe !== undefined) {
        await tell("first probe", async () => connection(await details.probeConnected(probe, signal)));
      }
      await tell("primary channels", async () => {
        const items = (await details.primaryChannels(signal))?.items;
        return items === undefined || !isOnePerSensor(items) ? undefined : String(items.length);
      });
      try {
        parts.throwIfFailed();
      } catch (error) {
        if (read === 0) throw error;
        return warning(`${texts.join(", ")}; ${describeFault(error)}`, REMEDY);
      }
      return ok(texts.join(", "));
    },
  };
}

function sensorsOf(license: LicenseUse | undefined): string | undefined {
  return license?.used === undefined ? undefined : `${license.used} of ${license.max ?? "unlimited"} sensors`;
}

function connection(isConnected: boolean | undefined): string | undefined {
  return isConnected === undefined ? undefined : isConnected ? "connected" : "not connected";
}
