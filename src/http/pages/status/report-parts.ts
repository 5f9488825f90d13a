import { z } from "zod";

export const instant = () => z.iso.datetime();
export const count = () => z.int().nonnegative();

/** Position of a page in a list. @param item What the list has, in the singular. */
export const position = (item: string) =>
  z
    .strictObject({
      number: count().describe("number of this page, from 1"),
      pages: count().describe("number of pages"),
      from: count().describe(`index of its first ${item}`),
    })
    .describe("position in the list");
