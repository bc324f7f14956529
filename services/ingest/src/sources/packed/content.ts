import { open } from 'node:fs/promises';
import { ImportError, sentenceOf } from '../../errors.js';

/** Bytes at any place of an open file. */
export interface RandomAccess {
  readonly size: number;
  /** Fewer bytes at the end of the file. */
  readonly read: (at: number, length: number) => Promise<Buffer>;
}

/** The bytes of a file, or of a file inside a container. */
export interface Content {
  /** In reports and errors: `outer.zip/inner.csv`. */
  readonly name: string;
  /** As stored, compressed if it is. */
  readonly sizeBytes: number;
  readonly bytesRead: () => number;
  /** Null if the bytes only come in order. */
  readonly random: RandomAccess | null;
  /** Of a file on disk that has nothing else in it. */
  readonly path: string | null;
  /** In order. Once. */
  readonly blocks: () => AsyncGenerator<Buffer, void, undefined>;
  readonly close: () => Promise<void>;
}

/** Blocks from 32 KB to 1 MB measured equally fast. Memory grows with the block. */
const blockBytes = 64 * 1024;

export const diskContent = async (path: string): Promise<Content> => {
  const handle = await open(path, 'r');
  const { size } = await handle.stat();
  const file: RandomAccess = {
    size,
    read: async (at, length) => {
      const wanted = Math.max(0, Math.min(length, size - at));
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
      return buffer.subarray(0, bytesRead);
    },
  };
  return { ...rangeContent(path, { start: 0, size }, file), path, close: () => handle.close() };
};

/** A part of an open file. Whoever opened the file closes it. */
export const rangeContent = (
  name: string,
  { start, size }: { readonly start: number; readonly size: number },
  file: RandomAccess,
): Content => {
  let bytesRead = 0;
  const read = async (at: number, length: number): Promise<Buffer> => {
    const bytes = await file.read(start + at, Math.max(0, Math.min(length, size - at)));
    bytesRead = Math.max(bytesRead, at + bytes.length);
    return bytes;
  };
  async function* blocks(): AsyncGenerator<Buffer, void, undefined> {
    for (let at = 0; at < size;) {
      const block = await read(at, blockBytes);
      // The file became shorter.
      if (block.length === 0) throw new ImportError(`${name}: the file ends at byte ${at} of ${size}`);
      yield block;
      at += block.length;
    }
  }
  return {
    name,
    sizeBytes: size,
    bytesRead: () => bytesRead,
    random: { size, read },
    path: null,
    blocks: () => named(name, blocks()),
    close: () => Promise.resolve(),
  };
};

/** Other bytes in place of the content's own, such as its decompressed ones. */
export const streamContent = (content: Content, blocks: () => AsyncGenerator<Buffer, void, undefined>): Content => ({
  ...content,
  random: null,
  path: null,
  blocks,
});

/** An error of a system call gets the name of the file. */
async function* named(name: string, blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* blocks;
  } catch (cause) {
    if (cause instanceof ImportError) throw cause;
    throw new ImportError(`${name}: the rest of the file cannot be read (${sentenceOf(cause)})`, { cause });
  }
}

/** The first bytes of a content, and the content with all of its bytes. */
export const withHead = async (content: Content, bytes: number): Promise<{ head: Buffer; content: Content }> => {
  if (content.random) return { head: await content.random.read(0, bytes), content };
  const blocks = content.blocks();
  const first: Buffer[] = [];
  let [size, isWhole] = [0, false];
  while (size < bytes && !isWhole) {
    const next = await blocks.next();
    if (next.done === true) isWhole = true;
    else {
      first.push(next.value);
      size += next.value.length;
    }
  }
  async function* whole(): AsyncGenerator<Buffer, void, undefined> {
    try {
      yield* first;
      if (!isWhole) yield* blocks;
    } finally {
      await blocks.return();
    }
  }
  return {
    head: Buffer.concat(first).subarray(0, bytes),
    content: {
      ...content,
      blocks: whole,
      close: async () => {
        await blocks.return();
        await content.close();
      },
    },
  };
};

/** A file inside a container by its place, because two files of a tar may have one name. */
export interface Step {
  readonly name: string;
  readonly index: number;
}
