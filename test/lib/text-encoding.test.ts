import { join } from "node:path";
import { expect, test } from "vitest";
import { encodingFault, FileFault, readTextFile } from "../../src/lib/bounded-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const TEXT = "servers:\n  - name: Zürich 漢\n";

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes).swap16();
}

const UTF_16 = Buffer.from(TEXT, "utf16le");
const MARK = Buffer.from([0xff, 0xfe]);

test.each([
  ["UTF-8", Buffer.from(TEXT), undefined],
  ["UTF-8 with a mark", Buffer.from(`\ufeff${TEXT}`), undefined],
  ["nothing", Buffer.alloc(0), undefined],
  ["one byte", Buffer.from("a"), undefined],
  ["PEM with a comment in Latin-1", Buffer.from("# M\xfcller\n-----BEGIN CERTIFICATE-----\n", "latin1"), undefined],
  ["UTF-16", UTF_16, "it looks like UTF-16 (little-endian, without a byte order mark): save it as UTF-8"],
  [
    "UTF-16 with a mark",
    Buffer.concat([MARK, UTF_16]),
    "it looks like UTF-16 (little-endian, with a byte order mark): save it as UTF-8",
  ],
  [
    "big-endian UTF-16",
    swapped(UTF_16),
    "it looks like UTF-16 (big-endian, without a byte order mark): save it as UTF-8",
  ],
  [
    "big-endian UTF-16 with a mark",
    swapped(Buffer.concat([MARK, UTF_16])),
    "it looks like UTF-16 (big-endian, with a byte order mark): save it as UTF-8",
  ],
  ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), "it looks like UTF-32: save it as UTF-8"],
  [
    "Latin-1",
    Buffer.from("servers:\n  - name: Z\xfcrich\n", "latin1"),
    "line 2, column 12 is not UTF-8, but looks like Latin-1 or Windows-1252: save it as UTF-8",
  ],
  [
    "Latin-1 behind UTF-8",
    Buffer.concat([Buffer.from("a: 漢ü"), Buffer.from([0xe9])]),
    "line 1, column 6 is not UTF-8, but looks like Latin-1 or Windows-1252: save it as UTF-8",
  ],
  [
    "DER",
    Buffer.from([0x30, 0x82, 0x03, 0x00, 0xff, 0x01, 0x02]),
    "it is binary data, not text (certificates and keys must be PEM)",
  ],
])("%s", (_, bytes, words) => {
  expect(encodingFault(bytes)?.message).toBe(words);
});

test("the error names the position of the first wrong byte", async () => {
  const folder = temporaryFolder({ "a.yaml": Buffer.from("a: 1\nb: \xe9\n", "latin1") });
  const error = await readTextFile(join(folder, "a.yaml")).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(FileFault);
  expect(error).toMatchObject({ code: "EILSEQ", place: { line: 2, column: 4 } });
  expect(await readTextFile(join(folder, "a.yaml"), { allowsOtherEncodings: true })).toBe("a: 1\nb: \ufffd\n");
});
