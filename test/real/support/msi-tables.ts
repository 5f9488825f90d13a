import { runProgram } from "./run-program.ts";

type Row = Readonly<Record<string, string>>;

/** Rows of a table by column name. The export has columns, types and keys in its first three lines. */
export async function msiTable(msiinfo: string, file: string, table: string): Promise<Row[]> {
  const { code, stdout, stderr } = await runProgram(msiinfo, ["export", file, table], "");
  if (code !== 0) throw new Error(stderr);
  const [columns = "", , , ...lines] = stdout.replaceAll("\r", "").split("\n");
  const names = columns.split("\t");
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const values = line.split("\t");
      return Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
    });
}

/** One column by another, which is the key. */
export async function msiColumn(msiinfo: string, file: string, table: string, key: string, column: string) {
  const rows = await msiTable(msiinfo, file, table);
  return Object.fromEntries(rows.map((row) => [row[key] ?? "", row[column] ?? ""]));
}
