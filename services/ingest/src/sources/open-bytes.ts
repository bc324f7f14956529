import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ImportError, sentenceOf } from '../errors.js';
import { recordCharsMax } from './source.js';

/** Blocks from 32 KB to 1 MB measured equally fast. Memory grows with the block. */
const blockBytes = 64 * 1024;

export interface ByteSource {
  readonly sizeBytes: number;
  /** Bytes of the file read so far, compressed if the file is. */
  readonly bytesRead: () => number;
  readonly blocks: AsyncIterable<Buffer>;
}

/** A file's bytes. They are decompressed if they start like gzip, whatever the file name. */
export const openBytes = async (path: string): Promise<ByteSource> => {
  const { size } = await stat(path);
  const packed = await isGzip(path);
  const file = createReadStream(path, { highWaterMark: blockBytes });
  return { sizeBytes: size, bytesRead: () => file.bytesRead, blocks: blocksOf(path, file, packed) };
};

const isGzip = async (path: string): Promise<boolean> => {
  const handle = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await handle.close();
  }
};

async function* blocksOf(path: string, file: Readable, packed: boolean): AsyncGenerator<Buffer, void, undefined> {
  // The pipeline only links the lifetime of both streams. The loop below throws the errors of either.
  const bytes = packed ? pipeline(file, createGunzip({ chunkSize: blockBytes }), () => undefined) : file;
  try {
    for await (const block of bytes) if (block instanceof Buffer) yield block;
  } catch (cause) {
    const broken = cause instanceof Error && 'code' in cause && String(cause.code).startsWith('Z_');
    const what = broken ? 'the gzip data is incomplete or damaged' : 'the rest of the file cannot be read';
    throw new ImportError(`${path}: ${what} (${sentenceOf(cause)})`, { cause });
  } finally {
    file.destroy();
  }
}

/** The file's text. Throws an `ImportError` at the first byte that is not UTF-8, and for NUL bytes. */
export async function* textBlocks(path: string, source: ByteSource): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let at = 0;
  const decode = (block?: Buffer): string => {
    try {
      return block ? decoder.decode(block, { stream: true }) : decoder.decode();
    } catch (cause) {
      throw new ImportError(`${path}: the file is not UTF-8 text: the first invalid byte is at or after byte ${at}`, {
        cause,
      });
    }
  };
  for await (const block of source.blocks) {
    if (block.includes(0)) throw new ImportError(`${path}: the file is not text: it has NUL bytes`);
    const text = decode(block);
    at += block.length;
    if (text !== '') yield text;
  }
  const rest = decode();
  if (rest !== '') yield rest;
}

/** The lines of a text in blocks. Empty lines are skipped. */
export async function* linesIn(
  path: string,
  text: AsyncIterable<string>,
): AsyncGenerator<readonly string[], void, undefined> {
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > recordCharsMax) throw new ImportError(`${path}: a line is too long`);
    yield lines.filter((line) => line !== '');
  }
  if (rest !== '') yield [rest];
}
