import { BASE_UNITS } from "../../src/mapping/units/base-units.ts";
import { DISPLAY_UNITS, type DisplayUnit } from "../../src/mapping/units/display-units.ts";
import { code, pageHead, table } from "./markdown.ts";

const INTRODUCTION = `
The exporter knows these units of channels. \`x\` is the value in PRTG. Symbols are case-sensitive, words are not. [Mapping](mapping.md#units) explains rates
and what happens with other units.
`;

export function unitsPage(): string {
  const sections = [...Map.groupBy(DISPLAY_UNITS, ({ base }) => base)].map(([base, units]) => {
    const rows = [...Map.groupBy(units, formulaOf)].map(([formula, same]) => [
      namesOf(same, ({ symbols }) => symbols),
      namesOf(same, ({ words }) => words),
      formula,
    ]);
    return `\n## ${code(base)}\n\nUCUM ${code(BASE_UNITS[base].ucum)}.\n\n${table(["Symbols", "Words", "Value"], rows)}`;
  });
  return [pageHead("Units", "src/mapping/units/display-units.ts"), INTRODUCTION, ...sections].join("");
}

function namesOf(units: readonly DisplayUnit[], list: (unit: DisplayUnit) => readonly string[]): string {
  return units.flatMap(list).map(code).join(", ");
}

function formulaOf({ shift = 0, times = 1, over = 1, binary }: DisplayUnit): string {
  const shifted = shift === 0 ? "x" : `(x - ${-shift})`;
  const formula = (factor: number) =>
    code([shifted, ...(factor === 1 ? [] : [`* ${factor}`]), ...(over === 1 ? [] : [`/ ${over}`])].join(" "));
  return binary === undefined
    ? formula(times)
    : `${formula(binary)}, or with \`byte_units: decimal\` ${formula(times)}`;
}
