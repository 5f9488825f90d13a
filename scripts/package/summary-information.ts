/** FMTID_SummaryInformation, {F29F85E0-4FF9-1068-AB91-08002B27B3D9}, as files have it. */
const FORMAT = Buffer.from("e0859ff2f94f6810ab9108002b27b3d9", "hex");
/** Position of the format in its stream: after byte order, version, system, class and number of sections. */
const FORMAT_OFFSET = 28;

/** Properties: PID_REVNUMBER is the package code, then PID_CREATE_DTM and PID_LASTSAVE_DTM. */
const PACKAGE_CODE = 9;
const TIMES = [12, 13];
const VT_LPSTR = 30;
const VT_FILETIME = 64;
/** From 1601 to 1970, in milliseconds. */
const EPOCH_MS = 11_644_473_600_000;

/**
 * Replaces the random package code and the times of the build in an MSI file. Windows Installer takes files with the same
 * package code for the same file.
 * @param uuid without braces
 * @throws Error if the file has no such properties
 */
export function stampSummary(msi: Buffer, uuid: string, time: Date): void {
  const properties = findProperties(msi);
  for (const id of TIMES) {
    const at = positionOf(properties, msi, id, VT_FILETIME);
    msi.writeBigUInt64LE(BigInt(time.getTime() + EPOCH_MS) * 10_000n, at);
  }
  const at = positionOf(properties, msi, PACKAGE_CODE, VT_LPSTR);
  const code = `{${uuid.toUpperCase()}}\0`;
  if (msi.readUInt32LE(at) !== code.length) throw new Error("the package code of the MSI has another length");
  msi.write(code, at + 4, "latin1");
}

/** Positions in the file by identifier. Short streams lie in one piece. */
function findProperties(msi: Buffer): ReadonlyMap<number, number> {
  const format = msi.indexOf(FORMAT);
  if (format === -1 || msi.indexOf(FORMAT, format + 1) !== -1) throw new Error("the MSI has no summary information");
  const section = format - FORMAT_OFFSET + msi.readUInt32LE(format + FORMAT.length);
  const count = msi.readUInt32LE(section + 4);
  const entry = (index: number) => section + 8 + index * 8;
  return new Map(
    Array.from({ length: count }, (_, index) => [
      msi.readUInt32LE(entry(index)),
      section + msi.readUInt32LE(entry(index) + 4),
    ]),
  );
}

function positionOf(properties: ReadonlyMap<number, number>, msi: Buffer, id: number, type: number): number {
  const at = properties.get(id);
  if (at === undefined || msi.readUInt32LE(at) !== type) throw new Error(`the MSI has no summary property ${id}`);
  return at + 4;
}
