import { describe, expect, test } from "vitest";
import { outcome } from "../../../support/accounts.ts";
import { startService } from "../../../support/running-service.ts";

interface Lookup {
  readonly name: string;
  readonly options: readonly { readonly value: unknown; readonly text: string }[];
}

describe("GET /setting-lookups/{name}", () => {
  test.each([
    ["interval", 2, { value: 60, text: "60 seconds" }],
    ["interval", 3, { value: 300, text: "5 minutes" }],
    ["interval", 7, { value: 3600, text: "1 hour" }],
    ["errorintervalsdown", 0, { value: 0, text: "Down at once" }],
    ["errorintervalsdown", 1, { value: 1, text: "Down after 1 interval" }],
    ["ipversion", 1, { value: 1, text: "IPv6" }],
    ["dependencytype", 0, { value: 0, text: "The parent" }],
    ["priority", 4, { value: 5, text: "★★★★★" }],
    ["schedule", 0, { value: "none", text: "none" }],
    ["discoveryschedule", 3, { value: "weekly", text: "weekly" }],
    ["devicetemplate", 3, { value: "generic-ping.odt", text: "Generic Device (PING only)" }],
    ["deviceicon", 0, { value: "a_server_1", text: "a_server_1" }],
    ["lookup", 7, { value: "prtg.simulated.door", text: "Rack Door" }],
    ["usertype", 0, { value: "administrator", text: "administrator" }],
    ["primarygroup", 0, { value: "200", text: "PRTG Administrators" }],
    ["accesslevel", 4, { value: "FULL", text: "FULL" }],
    ["primarychannel?id=1001", 1, { value: "1001.2", text: "Traffic Out" }],
  ])("%s has at %i the option %j", async (name, index, option) => {
    const specified = await startService({ spelling: "specification" });
    const { json } = await specified.send(`/setting-lookups/${name}`);
    expect((json as Lookup).options[index]).toEqual(option);
    expect((json as Lookup).name).toBe(name.split("?")[0]);
    const live = await startService({ spelling: "live" });
    const spelled = { ...option, value: String(option.value) };
    expect(((await live.send(`/setting-lookups/${name}`)).json as Lookup).options[index]).toEqual(spelled);
  });

  test("shows only groups that the user sees", async () => {
    const { send } = await startService();
    const { json } = await send("/setting-lookups/primarygroup", { bearer: "RESTRICTED" });
    expect((json as Lookup).options).toEqual([{ value: "211", text: "Restricted User's Group" }]);
  });

  test.each([
    ["name", "KEY==", "404 NOT_FOUND"],
    ["interval?id=1002", "RESTRICTED", "404 NOT_FOUND"],
    ["primarychannel?id=100", "KEY==", "404 NOT_FOUND"],
  ])("%s for %s fails with %s", async (name, bearer, refusal) => {
    const { send } = await startService();
    expect(outcome(await send(`/setting-lookups/${name}`, { bearer }))).toBe(refusal);
  });

  test.each(["interval?id=100", "priority?id=1000.0", "schedule?id="])("accepts %s", async (name) => {
    const { send } = await startService();
    expect((await send(`/setting-lookups/${name}`)).status).toBe(200);
  });
});
