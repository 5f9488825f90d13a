/** Reads the fields of a protobuf message one after the other. Copies nothing, for millions of points: `protobufToJson` takes fifty times as long. */
export class WireFields {
  /** Current field number. */
  number = 0;
  /** Start of its content. */
  start = 0;
  end = 0;
  readonly #bytes: Buffer;
  readonly #limit: number;
  #at: number;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#limit = end;
  }

  /** False after the last field. */
  next(): boolean {
    if (this.#at >= this.#limit) return false;
    const tag = this.#varint();
    const wireType = tag & 7;
    this.number = tag >>> 3;
    const length = wireType === 2 ? this.#varint() : wireType === 1 ? 8 : wireType === 5 ? 4 : 0;
    this.start = this.#at;
    if (wireType === 0) this.#varint();
    this.#at += length;
    this.end = this.#at;
    if (this.end > this.#limit) throw new RangeError("a field is cut off");
    return true;
  }

  /** Advances to the next field with this number. False: none left. */
  find(number: number): boolean {
    while (this.next()) if (this.number === number) return true;
    return false;
  }

  /** Fields of the nested message. */
  inner(): WireFields {
    return new WireFields(this.#bytes, this.start, this.end);
  }

  /** Compares with ASCII text. */
  is(text: string): boolean {
    if (this.end - this.start !== text.length) return false;
    for (let index = 0; index < text.length; index++) {
      if (this.#bytes[this.start + index] !== text.charCodeAt(index)) return false;
    }
    return true;
  }

  text(): string {
    return this.#bytes.toString("utf8", this.start, this.end);
  }

  bytes(): Buffer {
    return this.#bytes.subarray(this.start, this.end);
  }

  /** Value of a varint with up to 64 bits. */
  integer(): bigint {
    return this.bytes().reduceRight((value, byte) => (value << 7n) | BigInt(byte & 127), 0n);
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.start);
  }

  /** Eight-byte nanoseconds as milliseconds. */
  millis(): number {
    const nanos = this.#bytes.readUInt32LE(this.start + 4) * 2 ** 32 + this.#bytes.readUInt32LE(this.start);
    return Math.round(nanos / 1e6);
  }

  #varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }
}
