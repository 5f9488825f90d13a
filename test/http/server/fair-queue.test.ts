import { expect, test } from "vitest";
import { FairQueue } from "../../../src/http/server/fair-queue.ts";

/** Each turn ends when the next begins. */
function watched(max: number) {
  const turns = new FairQueue({ atOnce: 1, max });
  const seen: string[] = [];
  let leave: (() => void) | undefined;
  const want = (client: string, name = client) =>
    void turns.take(client).then((over) => {
      seen.push(over === undefined ? `${name} refused` : name);
      if (over !== undefined) leave = over;
    });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const finish = async () => {
    for (;;) {
      await settled();
      const over = leave;
      leave = undefined;
      if (over === undefined) return seen;
      over();
    }
  };
  return { want, finish, settled, seen };
}

test("one client gets its turns in order", async () => {
  const { want, finish } = watched(16);
  for (const name of ["1", "2", "3"]) want("a", name);
  expect(await finish()).toEqual(["1", "2", "3"]);
});

test("clients take turns after the first request of each", async () => {
  const { want, finish } = watched(16);
  for (const name of ["a1", "a2", "a3", "a4"]) want("a", name);
  for (const name of ["b1", "b2"]) want("b", name);
  want("c", "c1");
  expect(await finish()).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("a full queue rejects the latest request of the client with the most", async () => {
  const { want, finish, settled, seen } = watched(4);
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) want("a", name);
  await settled();
  expect(seen).toEqual(["a1", "a5 refused"]);
  want("b", "b1");
  await settled();
  expect(seen).toEqual(["a1", "a5 refused", "a4 refused"]);
  want("b", "b2");
  want("a", "a6");
  await settled();
  expect(seen.slice(3)).toEqual(["b2 refused", "a6 refused"]);
  expect((await finish()).slice(5)).toEqual(["a2", "b1", "a3"]);
});

test("a crowd leaves all places free", async () => {
  const { want, finish } = watched(2);
  for (let round = 0; round < 3; round++) {
    for (const client of ["a", "b", "c"]) want(client);
    expect((await finish()).splice(0)).toEqual(["a", "c refused", "b"]);
  }
});

test("a full queue rejects a request of the client with the most, whichever began first", async () => {
  const { want, finish, settled, seen } = watched(5);
  for (const name of ["a1", "a2"]) want("a", name);
  for (const name of ["b1", "b2", "b3"]) want("b", name);
  await settled();
  want("c", "c1");
  want("a", "a3");
  await settled();
  expect(seen).toEqual(["a1", "b3 refused", "a3 refused"]);
  expect((await finish()).slice(3)).toEqual(["a2", "b1", "c1", "b2"]);
});

test("a client takes the place of another that has two requests more", async () => {
  const { want, settled, seen } = watched(4);
  for (const name of ["a1", "b1", "b2", "d1"]) want(name.slice(0, 1), name);
  await settled();
  want("d", "d2");
  want("c", "c1");
  await settled();
  expect(seen).toEqual(["a1", "d2 refused", "b2 refused"]);
});

test("a turn ends only once, so that no other turn begins early", async () => {
  const turns = new FairQueue({ atOnce: 1, max: 16 });
  const begun: string[] = [];
  const leave = await turns.take("a");
  for (const client of ["b", "c"]) void turns.take(client).then(() => begun.push(client));
  leave?.();
  leave?.();
  await new Promise(setImmediate);
  expect(begun).toEqual(["b"]);
});
