import { lookup } from "node:dns";
import { expect, onTestFinished, test } from "vitest";
import { createConnections } from "../../../src/lib/http/connections.ts";
import { sendJson, startApiServer } from "../../prtg/support/api-server.ts";

/** A server that answers when it is told to, and connections to it. */
async function held(max: number) {
  const answers: (() => void)[] = [];
  const arrived: (() => void)[] = [];
  const server = await startApiServer((_request, response) => {
    answers.push(() => sendJson(response, {}));
    arrived.shift()?.();
  });
  const options = { connect: { timeout: 5_000, autoSelectFamilyAttemptTimeout: 1_000, lookup } };
  const connections = createConnections(new URL(server.url).origin, max, options);
  onTestFinished(() => connections.destroy());
  let reused = 0;
  const ask = async () => {
    const { statusCode, body } = await connections.request({ method: "GET", path: "/" }, () => reused++);
    await body.dump();
    return statusCode;
  };
  const arrival = () => new Promise<void>((resolve) => arrived.push(resolve));
  const answerAll = () => {
    for (const answer of answers.splice(0)) answer();
  };
  return { server, connections, ask, arrival, answerAll, reused: () => reused };
}

test("opens as many connections as there are requests at a time, and not more than it may", async () => {
  const { server, ask, arrival, answerAll, reused } = await held(2);
  const arrivals = Promise.all([arrival(), arrival()]);
  const asked = [ask(), ask(), ask()];
  await arrivals;
  expect(server.connections()).toBe(2);
  const third = arrival();
  answerAll();
  await third;
  answerAll();
  expect(await Promise.all(asked)).toEqual([200, 200, 200]);
  expect(server.connections()).toBe(2);
  const next = arrival();
  const another = ask();
  await next;
  answerAll();
  expect(await another).toBe(200);
  expect([server.connections(), reused()]).toEqual([2, 1]);
});

test("closed, lets what is under way end, and nothing begin", async () => {
  const { connections, ask, arrival, answerAll } = await held(1);
  const first = arrival();
  const asked = ask();
  await first;
  const closed = connections.close();
  await expect(ask()).rejects.toMatchObject({ code: "UND_ERR_CLOSED" });
  answerAll();
  expect(await asked).toBe(200);
  await closed;
});

test("destroyed, ends what is under way, and lets nothing begin", async () => {
  const { connections, ask, arrival } = await held(1);
  const first = arrival();
  const asked = ask();
  await first;
  await Promise.all([expect(asked).rejects.toMatchObject({ code: "UND_ERR_DESTROYED" }), connections.destroy()]);
  await expect(ask()).rejects.toMatchObject({ code: "UND_ERR_DESTROYED" });
});
