import { Readable } from 'node:stream';
import xzDecompress from 'xz-decompress';

export class NestedXz extends Error {}

let isOpen = false;

/** xz with a WASM of xz-embedded. It has one decompressor, so a second open stream would wait for ever. */
export async function* unpackXz(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  if (isOpen) throw new NestedXz('xz inside of xz is not supported. Unpack the outer one first');
  isOpen = true;
  const packed = Readable.from(blocks, { objectMode: false });
  const reader = new xzDecompress.XzReadableStream(Readable.toWeb(packed)).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
  } catch (cause) {
    if (packed.errored) throw packed.errored;
    throw cause;
  } finally {
    // After an error there is nothing left to cancel.
    await reader.cancel().catch(() => undefined);
    packed.destroy();
    isOpen = false;
  }
}
