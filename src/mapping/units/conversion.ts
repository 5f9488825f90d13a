/** `(value + shift) * times / over + plus`. Two factors, because 9 / 1000 is 0.009 and 9 * 0.001 is not. */
export interface Conversion {
  readonly shift: number;
  readonly times: number;
  readonly over: number;
  readonly plus: number;
}

export const UNCHANGED: Conversion = { shift: 0, times: 1, over: 1, plus: 0 };

export function convert({ shift, times, over, plus }: Conversion, value: number): number {
  return ((value + shift) * times) / over + plus;
}
