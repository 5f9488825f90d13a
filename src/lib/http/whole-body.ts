/**
 * Joins a body, or returns `undefined` if it is longer than `maxBytes`. The rest of it is not read, and its connection
 * ends.
 * @throws the errors of `chunks`
 */
export async function wholeBody(chunks: AsyncIterable<unknown>, maxBytes: number): Promise<Buffer | undefined> {
  const whole: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > maxBytes) return undefined;
    whole.push(chunk);
  }
  return Buffer.concat(whole);
}
