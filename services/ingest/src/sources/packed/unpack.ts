import { createGunzip } from 'node:zlib';
import { ImportError, sentenceOf } from '../../errors.js';
import { unpackBzip2 } from './bzip2.js';
import { type Content, streamContent, withHead } from './content.js';
import { type ContentKind, contentKindOf, headBytes, type Packing } from './content-kind.js';
import { streamed } from './streamed.js';
import { NestedXz, unpackXz } from './xz.js';
import { unpackZstd } from './zstd.js';

type Unpack = (blocks: AsyncIterable<Buffer>) => AsyncGenerator<Buffer, void, undefined>;

const unpackers: Readonly<Record<Packing, Unpack>> = {
  gzip: (blocks) => streamed(blocks, createGunzip({ chunkSize: 64 * 1024 })),
  zstd: unpackZstd,
  bzip2: unpackBzip2,
  xz: unpackXz,
};

export interface Unpacked {
  readonly content: Content;
  readonly is: Exclude<ContentKind, { kind: 'packed' }>;
  readonly head: Buffer;
}

/** Archives of archives end somewhere. */
export const layersMax = 8;

/** What is inside of gzip, zstd, bzip2 and xz, whatever the file name, and what that is. */
export const unpacked = async (given: Content, layers = 0): Promise<Unpacked> => {
  if (layers > layersMax) throw new ImportError(`${given.name}: more than ${layersMax} layers of compression`);
  const { head, content } = await withHead(given, headBytes);
  const is = contentKindOf(head);
  if (is.kind !== 'packed') return { content, is, head };
  try {
    return await unpacked(
      streamContent(content, () => unpackedBlocks(content, is.by)),
      layers + 1,
    );
  } catch (error) {
    await content.close();
    throw error;
  }
};

export const unpackedBlocks = (content: Content, by: Packing): AsyncGenerator<Buffer, void, undefined> =>
  bounded(content, checked(content, by, unpackers[by](content.blocks())));

/** Everything that is wrong with compressed data is an `ImportError` with the file and the byte. */
async function* checked(
  { name, bytesRead }: Content,
  by: string,
  blocks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* blocks;
  } catch (cause) {
    if (cause instanceof ImportError) throw cause;
    if (cause instanceof NestedXz) throw new ImportError(`${name}: ${cause.message}`, { cause });
    const at = `at or before byte ${bytesRead()}`;
    throw new ImportError(`${name}: the ${by} data is incomplete or damaged ${at} (${sentenceOf(cause)})`, { cause });
  }
}

/** Real data packs up to a hundred times. Deflate reaches 1,032 times, other packers millions. */
const ratioMax = 500;
const freeBytes = 64 * 1024 * 1024;
const unpackedBytesMax = 2 ** 40;

/** A file of little that unpacks to very much would fill the disk and take days. */
export async function* bounded(
  { name, bytesRead }: Pick<Content, 'name' | 'bytesRead'>,
  blocks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  for await (const block of blocks) {
    bytes += block.length;
    const packed = Math.max(1, bytesRead());
    if (bytes > unpackedBytesMax) throw new ImportError(`${name}: it unpacks to more than 1 TiB, so it is not read`);
    if (bytes > freeBytes && bytes > packed * ratioMax)
      throw new ImportError(
        `${name}: it unpacks to more than ${ratioMax} times its size (${bytes} bytes from ${packed}), so it is not read. ` +
          'If it is not an attack, unpack it yourself and import the result.',
      );
    yield block;
  }
}
