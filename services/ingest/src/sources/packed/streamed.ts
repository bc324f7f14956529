import { pipeline, Readable, type Transform } from 'node:stream';

/** Blocks through a transform of Node. Its errors, and those of the blocks, are thrown in the loop. */
export async function* streamed(
  blocks: AsyncIterable<Buffer>,
  transform: Transform,
): AsyncGenerator<Buffer, void, undefined> {
  const source = Readable.from(blocks, { objectMode: false, highWaterMark: 64 * 1024 });
  // The pipeline only links the lifetime of both streams. The loop throws the errors of either.
  const bytes = pipeline(source, transform, () => undefined);
  try {
    for await (const block of bytes) if (block instanceof Buffer) yield block;
  } finally {
    source.destroy();
    bytes.destroy();
  }
}
