import { expect, test } from "vitest";
import { ConfigDocument } from "../../../src/config/document.ts";
import { readUsers } from "../../../src/http/web-config/users.ts";
import { ALICE } from "./cases.ts";

function usersOf(yaml: string): ReturnType<typeof readUsers> {
  return readUsers(new ConfigDocument(yaml, "web.yaml", undefined).value);
}

test("users can have any name", () => {
  expect(usersOf(`{ alice: ${ALICE}, constructor: ${ALICE} }`)).toEqual(
    new Map([
      ["alice", ALICE],
      ["constructor", ALICE],
    ]),
  );
});

test("users cannot have the name __proto__", () => {
  const refused = { path: ["basic_auth_users", "__proto__"], text: "this user name is reserved" };
  expect(usersOf(`{ alice: ${ALICE}, __proto__: ${ALICE} }`)).toEqual(refused);
});
