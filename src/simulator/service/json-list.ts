/** Items joined before they are encoded. Joining a whole page first took twice the time: 20 ms for 3,000 channels. */
const BATCH = 16;
/** A usual item; the buffer grows where that was too little. */
const BYTES_AN_ITEM = 600;
/** UTF-8 needs at most so many bytes for a UTF-16 unit. */
const MAX_BYTES_A_UNIT = 3;

/** A JSON array as UTF-8, from items that are rendered one by one. */
export function encodeJsonList(count: number, render: (index: number) => string): Buffer {
  let buffer = Buffer.allocUnsafeSlow(count * BYTES_AN_ITEM + 2);
  let used = 0;
  const write = (text: string): void => {
    const needed = used + text.length * MAX_BYTES_A_UNIT;
    if (needed > buffer.length && used + Buffer.byteLength(text) > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, needed));
      buffer.copy(larger, 0, 0, used);
      buffer = larger;
    }
    used += buffer.write(text, used);
  };
  let batch = "[";
  for (let index = 0; index < count; index++) {
    batch += index === 0 ? render(index) : `,${render(index)}`;
    if (index % BATCH !== BATCH - 1) continue;
    write(batch);
    batch = "";
  }
  write(`${batch}]`);
  return buffer.subarray(0, used);
}
