import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { ImportError, sentenceOf } from '../../errors.js';
import { type Content, type RandomAccess, rangeContent, streamContent } from './content.js';
import type { Packing } from './content-kind.js';
import { bounded, unpackedBlocks } from './unpack.js';

export interface ZipEntry {
  readonly name: string;
  /** Why this file cannot be read. */
  readonly problem: string | null;
  readonly open: () => Promise<Content>;
}

export interface OpenZip {
  readonly entries: readonly ZipEntry[];
  readonly close: () => void;
}

/** yauzl reads the directory at the end, so nothing is read twice and a file is opened where it lies. */
export const openZip = async (archive: Content, random: RandomAccess): Promise<OpenZip> => {
  const damaged = (cause: unknown): ImportError =>
    new ImportError(`${archive.name}: the zip archive is cut or damaged (${sentenceOf(cause)})`, { cause });
  let zip: ZipFile;
  try {
    zip = await yauzl.fromRandomAccessReaderPromise(new Reader(random), random.size, {
      // Names are checked one by one below, so that a bad one costs only its file.
      decodeStrings: false,
      autoClose: false,
    });
  } catch (cause) {
    throw damaged(cause);
  }
  const entries: ZipEntry[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      const file = entryOf({ archive, zip, entry, random });
      if (file !== null) entries.push(file);
    }
  } catch (cause) {
    throw damaged(cause);
  }
  return { entries, close: () => zip.close() };
};

class Reader extends yauzl.RandomAccessReader {
  constructor(private readonly random: RandomAccess) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const content = rangeContent('', { start, size: end - start }, this.random);
    return Readable.from(content.blocks(), { objectMode: false });
  }

  override read(
    ...[buffer, offset, length, position, done]: Parameters<InstanceType<typeof yauzl.RandomAccessReader>['read']>
  ): void {
    this.random.read(position, length).then(
      (bytes) => {
        bytes.copy(buffer, offset);
        done(bytes.length < length ? new Error('the data ends early') : null);
      },
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    );
  }

  override close(done: (error: Error | null) => void): void {
    done(null);
  }
}

interface ZipPlace {
  readonly archive: Content;
  readonly zip: ZipFile;
  readonly entry: Entry;
  readonly random: RandomAccess;
}

const methods: Readonly<Record<number, Packing | 'stored' | 'deflate'>> = {
  0: 'stored',
  8: 'deflate',
  12: 'bzip2',
  93: 'zstd',
  95: 'xz',
};

const entryOf = (place: ZipPlace): ZipEntry | null => {
  const { entry } = place;
  const name = yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false);
  if (name.endsWith('/')) return null;
  const method = methods[entry.compressionMethod];
  const problem = entry.isEncrypted()
    ? 'the file is encrypted. Unpack it first, for example with unzip'
    : method === undefined
      ? `the compression method ${entry.compressionMethod} of zip is not supported. Unpack it first, for example with 7z x FILE`
      : placeProblem(name);
  return { name, problem, open: () => openEntry(place, name, method ?? 'stored') };
};

/** Nothing is written by its name, but a name that leaves the archive is an attack, or names another file in reports. */
export const placeProblem = (name: string): string | null => {
  const isAbsolute = name.startsWith('/') || name.startsWith('\\') || /^[a-zA-Z]:/.test(name);
  const leaves = name.split(/[/\\]/).includes('..');
  return isAbsolute || leaves ? 'the name of the file leaves its archive, so it is not read' : null;
};

const openEntry = async (
  { archive, zip, entry, random }: ZipPlace,
  entryName: string,
  method: Packing | 'stored' | 'deflate',
): Promise<Content> => {
  const name = `${archive.name}/${entryName}`;
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const stored = rangeContent(name, { start: fileDataStart, size: entry.compressedSize }, random);
  if (method === 'stored') return stored;
  if (method !== 'deflate') return streamContent(stored, () => summed(name, entry, unpackedBlocks(stored, method)));
  const inflate = async function* (): AsyncGenerator<Buffer, void, undefined> {
    const stream = await zip.openReadStreamPromise(entry);
    try {
      for await (const block of stream) if (block instanceof Buffer) yield block;
    } catch (cause) {
      throw new ImportError(`${name}: the data in the zip archive is incomplete or damaged (${sentenceOf(cause)})`, {
        cause,
      });
    } finally {
      stream.destroy();
    }
  };
  // yauzl reads the range itself, so its size counts.
  const packed = { name, bytesRead: () => entry.compressedSize };
  return streamContent(stored, () => bounded(packed, summed(name, entry, inflate())));
};

async function* summed(
  name: string,
  { crc32: stated }: Entry,
  blocks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let sum = 0;
  for await (const block of blocks) {
    sum = crc32(block, sum);
    yield block;
  }
  if (sum !== stated) throw new ImportError(`${name}: the data in the zip archive is damaged (its checksum differs)`);
}
