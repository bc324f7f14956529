import { ImportError } from '../../errors.js';
import { type Content, diskContent } from '../packed/content.js';
import { unpacked } from '../packed/unpack.js';
import { recordCharsMax } from '../source.js';

export interface ByteSource {
  readonly sizeBytes: number;
  /** Bytes of the file read so far, compressed if the file is. */
  readonly bytesRead: () => number;
  readonly blocks: AsyncIterable<Buffer>;
}

/** A file's bytes without compression, whatever the file name. */
export const openBytes = async (path: string): Promise<ByteSource> => {
  const { content } = await unpacked(await diskContent(path));
  return { sizeBytes: content.sizeBytes, bytesRead: content.bytesRead, blocks: closing(content) };
};

/** The blocks of a content, which is closed after them. */
async function* closing(content: Content): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* content.blocks();
  } finally {
    await content.close();
  }
}

/** The byte order marks of UTF-16. Without one, its NUL bytes refuse the file. */
const encodingOf = (first: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' => {
  if (first[0] === 0xff && first[1] === 0xfe) return 'utf-16le';
  return first[0] === 0xfe && first[1] === 0xff ? 'utf-16be' : 'utf-8';
};

/** The file's text. Throws an `ImportError` at the first byte that is not UTF-8 or marked UTF-16, and for NUL bytes. */
export async function* textBlocks(
  path: string,
  source: Pick<ByteSource, 'blocks'>,
): AsyncGenerator<string, void, undefined> {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  let encoding: ReturnType<typeof encodingOf> = 'utf-8';
  let at = 0;
  const decode = (block?: Buffer): string => {
    try {
      return (block ? decoder?.decode(block, { stream: true }) : decoder?.decode()) ?? '';
    } catch (cause) {
      const name = encoding.toUpperCase();
      throw new ImportError(`${path}: the file is not ${name} text: the first invalid byte is at or after byte ${at}`, {
        cause,
      });
    }
  };
  for await (const block of source.blocks) {
    if (decoder === null) {
      encoding = encodingOf(block);
      decoder = new TextDecoder(encoding, { fatal: true });
    }
    if (encoding === 'utf-8' && block.includes(0))
      throw new ImportError(`${path}: the file is not text: it has NUL bytes`);
    const text = decode(block);
    at += block.length;
    if (text !== '') yield text;
  }
  const rest = decode();
  if (rest !== '') yield rest;
}

/** The text of whole lines in blocks. */
export async function* wholeLines(path: string, text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const chunk of text) {
    const whole = rest + chunk;
    const end = whole.lastIndexOf('\n') + 1;
    rest = whole.slice(end);
    if (rest.length > recordCharsMax) throw new ImportError(`${path}: a line is too long`);
    if (end > 0) yield whole.slice(0, end);
  }
  if (rest !== '') yield rest;
}

/** The lines of a text in blocks. Empty lines are skipped. */
export async function* linesIn(
  path: string,
  text: AsyncIterable<string>,
): AsyncGenerator<readonly string[], void, undefined> {
  for await (const block of wholeLines(path, text)) yield splitLines(block);
}

export const splitLines = (block: string): readonly string[] => block.split('\n').filter((line) => line !== '');
