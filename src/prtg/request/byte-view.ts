/** A view of bytes that are looked at again and again: made anew only where they are in other memory than last time. */
export class ByteView {
  #view: DataView = new DataView(new ArrayBuffer(0));
  #bytes: Buffer | undefined;

  of(bytes: Buffer): DataView {
    // To ask a buffer for its memory takes a call.
    if (bytes === this.#bytes) return this.#view;
    this.#bytes = bytes;
    const { buffer, byteOffset, length } = bytes;
    const known = this.#view;
    if (known.buffer !== buffer || known.byteOffset !== byteOffset || known.byteLength !== length) {
      this.#view = new DataView(buffer, byteOffset, length);
    }
    return this.#view;
  }
}
