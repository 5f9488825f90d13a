import { describe, expect, test } from "vitest";
import { outcome, post, USER } from "../../../support/accounts.ts";
import { type RunningService, startService } from "../../../support/running-service.ts";

const PASSWORD = "New Secret 2026";

async function tokenOf(service: RunningService, username: string): Promise<string> {
  await post(service, "/users/request-password", { username }, null);
  return service.simulator.passwordResets().find((reset) => reset.username === username)?.token ?? "";
}

function reset(service: RunningService, username: string, token: string, password = PASSWORD) {
  return post(service, "/users/reset-password", { username, password, token }, null);
}

async function login(service: RunningService, username: string, password: string): Promise<string> {
  return outcome(await post(service, "/session", { username, password }, null));
}

describe("resetting a password", () => {
  test("replaces the old password and ends sessions", async () => {
    const service = await startService();
    const opened = await post(service, "/session", { username: "operator", password: "correct horse" }, null);
    const { token: bearer } = opened.json as { token: string };
    const { status, text } = await reset(service, "operator", await tokenOf(service, "operator"));
    expect([status, text]).toEqual([204, ""]);
    expect(await login(service, "operator", PASSWORD)).toBe("200");
    expect(await login(service, "operator", "correct horse")).toBe("401 LOGIN_FAILED");
    expect((await service.send("/version", { bearer })).status).toBe(401);
    expect((await service.send("/version")).status).toBe(200);
  });

  test("sets the first password of a user", async () => {
    const service = await startService();
    expect(await login(service, "noor.haddad", "")).toBe("401 LOGIN_FAILED");
    await reset(service, "noor.haddad", await tokenOf(service, "noor.haddad"));
    expect(await login(service, "noor.haddad", PASSWORD)).toBe("200");
  });

  test("accepts a token once", async () => {
    const service = await startService();
    const token = await tokenOf(service, "operator");
    await reset(service, "operator", token);
    expect(service.simulator.passwordResets()).toEqual([]);
    const again = await reset(service, "operator", token, "Another 123 secret");
    expect(outcome(again)).toBe("400 INVALID_PASSWORD_RESET_TOKEN");
    expect(await login(service, "operator", PASSWORD)).toBe("200");
  });

  test("accepts a token for 30 minutes", async () => {
    const service = await startService();
    const token = await tokenOf(service, "operator");
    await service.clock.advance(30 * 60_000 - 1);
    expect(outcome(await reset(service, "operator", token, "short"))).toBe("400 LOW_PASSWORD_COMPLEXITY");
    await service.clock.advance(1);
    expect(service.simulator.passwordResets()).toEqual([]);
    expect(outcome(await reset(service, "operator", token))).toBe("400 INVALID_PASSWORD_RESET_TOKEN");
  });

  test("needs the latest token of that user", async () => {
    const service = await startService();
    const first = await tokenOf(service, "operator");
    const other = await tokenOf(service, "helpdesk");
    const second = await tokenOf(service, "operator");
    for (const token of [first, other, "", "wrong"]) {
      expect(outcome(await reset(service, "operator", token))).toBe("400 INVALID_PASSWORD_RESET_TOKEN");
    }
    expect(outcome(await reset(service, "nobody", second))).toBe("400 INVALID_PASSWORD_RESET_TOKEN");
    expect((await reset(service, "operator", second)).status).toBe(204);
  });

  test("fails if the user was paused after the request", async () => {
    const service = await startService();
    const token = await tokenOf(service, "noor.haddad");
    await post(service, `/users/${USER.noor}/pause`);
    expect(outcome(await reset(service, "noor.haddad", token))).toBe("400 INVALID_PASSWORD_RESET_TOKEN");
  });

  test("refuses a simple password and permits a second attempt", async () => {
    const service = await startService();
    const token = await tokenOf(service, "operator");
    const refused = await reset(service, "operator", token, "password");
    expect(outcome(refused)).toBe("400 LOW_PASSWORD_COMPLEXITY");
    expect(refused.json).toMatchObject({ message: expect.stringContaining("capital letter") });
    expect((await reset(service, "operator", token)).status).toBe(204);
  });
});

test("a paused user cannot log in with the right password", async () => {
  const service = await startService();
  await reset(service, "noor.haddad", await tokenOf(service, "noor.haddad"));
  const opened = await post(service, "/session", { username: "noor.haddad", password: PASSWORD }, null);
  const { token: bearer } = opened.json as { token: string };
  await post(service, `/users/${USER.noor}/pause`);
  expect((await service.send("/version", { bearer })).status).toBe(401);
  expect(await login(service, "noor.haddad", PASSWORD)).toBe("401 AUTH_FAILED");
  expect(await login(service, "noor.haddad", "wrong")).toBe("401 LOGIN_FAILED");
  await post(service, `/users/${USER.noor}/resume`);
  expect(await login(service, "noor.haddad", PASSWORD)).toBe("200");
  expect((await service.send("/version", { bearer })).status).toBe(401);
});
