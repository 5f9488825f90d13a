import { expect, test } from "vitest";
import { escapeNamesWithDots } from "../../src/exposition/name-escaping.ts";

test("escaping doubles underscores only in names of families and labels", () => {
  const page = [
    "# HELP prtg_up Is a_b up?",
    "# TYPE prtg_up gauge",
    'prtg_up{server_a="x_y,z_=\\"q_\\"}",b_c="\\\\"} 1e-7',
    "prtg_b_c 2",
    "# EOF",
    "",
  ].join("\n");
  expect(escapeNamesWithDots(page)).toBe(
    [
      "# HELP prtg__up Is a_b up?",
      "# TYPE prtg__up gauge",
      'prtg__up{server__a="x_y,z_=\\"q_\\"}",b__c="\\\\"} 1e-7',
      "prtg__b__c 2",
      "# EOF",
      "",
    ].join("\n"),
  );
});
