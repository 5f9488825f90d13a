import { expect, test } from "vitest";
import { loadContract } from "../../../src/api/contract/contract.ts";
import { ACCESS_LEVELS } from "../../../src/auth/accounts.ts";
import { startService } from "../../support/running-service.ts";

test.each(ACCESS_LEVELS)("a key with the access level %s can call only the operations of that level", async (level) => {
  const { send } = await startService();
  const body = JSON.stringify({ name: "key of the test", access_level: level });
  const { json } = await send("/users/me/api-keys", { method: "POST", body });
  const { key: bearer } = json as { key: string };
  const { operations } = await loadContract();
  for (const { id, method, path, accessLevel } of operations) {
    const { status } = await send(path.replaceAll(/\{\w+\}/g, "nothing"), { method, bearer });
    const allowed = accessLevel === undefined || ACCESS_LEVELS.indexOf(level) >= ACCESS_LEVELS.indexOf(accessLevel);
    expect([id, status === 403]).toEqual([id, !allowed]);
  }
});
