import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { freeAddresses } from "../../src/cli/demo.ts";

const HOST = "127.0.0.1";

async function taken(): Promise<number> {
  const server = createServer().listen(0, HOST);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

test("a free port stays, and port 0 stays 0", async () => {
  const port = await taken();
  const [free] = await freeAddresses([{ host: HOST, port }]);
  const asked = [
    { host: HOST, port: free?.port ?? 0 },
    { host: HOST, port: 0 },
  ];
  expect(await freeAddresses(asked)).toEqual(asked);
});

test("each taken port becomes a different later one", async () => {
  const port = await taken();
  const free = await freeAddresses([
    { host: HOST, port },
    { host: HOST, port },
  ]);
  expect(free.map(({ host }) => host)).toEqual([HOST, HOST]);
  expect(free[0]?.port).toBeGreaterThan(port);
  expect(free[1]?.port).toBeGreaterThan(free[0]?.port ?? 0);
});

test("an address of another machine stays, and the listener reports the error", async () => {
  const asked = [{ host: "192.0.2.1", port: 9705 }];
  expect(await freeAddresses(asked)).toEqual(asked);
});
