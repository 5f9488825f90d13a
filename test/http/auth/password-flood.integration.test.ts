import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Certificates, makeCertificates } from "../support/certificates.ts";
import { startConfigured } from "../support/configured-server.ts";
import { ALICE } from "../web-config/cases.ts";

let certificates: Certificates;

beforeAll(() => {
  certificates = makeCertificates();
});

afterAll(() => certificates.remove());

/** From this loopback address. */
function ask(url: string, password: string, localAddress: string, agent?: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { auth: `alice:${password}`, localAddress, agent: agent ?? false };
    const outgoing = request(`${url}/metrics`, options, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    });
    outgoing.once("error", reject).end();
  });
}

test("a new scraper gets an answer while another address guesses passwords", async () => {
  const { url, rejected } = await startConfigured(certificates, `basic_auth_users:\n  alice: ${ALICE}\n`);
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  onTestFinished(() => agent.destroy());
  let guesses = 0;
  let isOver = false;
  const guess = async () => {
    while (!isOver) await ask(url, `guess ${guesses++}`, "127.0.0.1", agent);
  };
  const flood = Promise.allSettled(Array.from({ length: 64 }, guess));
  await expect.poll(() => rejected.filter((reason) => reason === "password_checks").length).toBeGreaterThan(64);
  expect(await ask(url, "wonderland", "127.0.0.2")).toBe(200);
  // A known password needs no computation.
  expect(await ask(url, "wonderland", "127.0.0.1")).toBe(200);
  isOver = true;
  expect((await flood).filter(({ status }) => status === "rejected")).toEqual([]);
});
