/** The polynomial of CRC-32 (RFC 1952), bits reversed; polynomials below have their lowest power in the highest bit. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

/** x to the power of 2^n, modulo the polynomial. */
const POWERS = squares(0x40000000, 32);

/**
 * The CRC-32 of two byte sequences in a row from those of each: appending n bytes multiplies the first by x^8n. So a
 * page can be put together from parts whose bytes were looked at once.
 */
export function combineCrc32(first: number, second: number, secondLength: number): number {
  let shift = ONE;
  let power = 3;
  for (let rest = secondLength; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = multiply(POWERS[power % POWERS.length] ?? ONE, shift);
    power++;
  }
  return (multiply(shift, first) ^ second) >>> 0;
}

function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) product ^= factor;
    factor = factor & 1 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1;
  }
  return product >>> 0;
}

function squares(base: number, count: number): readonly number[] {
  const powers = [base];
  while (powers.length < count) {
    const last = powers.at(-1) ?? ONE;
    powers.push(multiply(last, last));
  }
  return powers;
}
