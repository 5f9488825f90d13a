export { Slices } from "../slices.ts";
