import { createWriteStream, statSync } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { constants } from "node:zlib";
import { create } from "tar";
import yazl from "yazl";
import { listTree } from "./trees.ts";

/** Same tree, same bytes. */
export async function writeTarball(folder: string, file: string, time: Date): Promise<void> {
  const top = path.basename(folder);
  await create(
    {
      file,
      cwd: path.dirname(folder),
      gzip: { level: constants.Z_DEFAULT_COMPRESSION },
      // No users, no access times, same rights for all.
      portable: true,
      noDirRecurse: true,
      mtime: time,
    },
    [top, ...listTree(folder).map((name) => `${top}/${name}`)],
  );
}

/** The caller sets TZ to UTC, because zip times have no zone. */
export async function writeZip(folder: string, file: string, time: Date): Promise<void> {
  const zip = new yazl.ZipFile();
  const top = path.basename(folder);
  for (const name of listTree(folder)) {
    const source = path.join(folder, name);
    if (statSync(source).isFile()) zip.addFile(source, `${top}/${name}`, { mtime: time, mode: 0o100644 });
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}
