import { ImportError } from '../../errors.js';
import { type Content, rangeContent, streamContent } from './content.js';
import { headBytes, tarSum } from './content-kind.js';

export interface TarFile {
  readonly name: string;
  readonly content: Content;
}

const blockBytes = 512;
const longNameBytes = 1024 * 1024;

/**
 * The files of a tar, one after the other (ustar, pax and GNU names). A file must be read before the next one is requested;
 * what is left of it is passed over. Folders, links and devices are left out.
 */
export async function* tarFiles(archive: Content): AsyncGenerator<TarFile, void, undefined> {
  const input = tarInput(archive);
  let [longName, longSize]: [string | null, number | null] = [null, null];
  try {
    for (;;) {
      const at = input.at();
      const header = await input.take(headBytes);
      // A copy that ends between two files has nothing else that shows the missing ones.
      if (header.length === 0)
        throw new ImportError(`${archive.name}: the archive has no end mark after byte ${at}, so files may be missing`);
      if (header.every((byte) => byte === 0)) return;
      if (header.length < headBytes) throw cut(archive, at);
      const stated = Number.parseInt(text(header, 148, 8).trim(), 8);
      if (stated !== tarSum(header)) throw new ImportError(`${archive.name}: the header at byte ${at} is damaged`);
      const type = String.fromCharCode(header[156] ?? 0);
      const size = longSize ?? numberAt(header, 124, 12);
      const padding = (blockBytes - (size % blockBytes)) % blockBytes;
      if ('xgLK'.includes(type)) {
        if (size > longNameBytes) throw new ImportError(`${archive.name}: the name at byte ${at} is too long`);
        const value = await input.take(size);
        if (value.length < size) throw cut(archive, at);
        await input.skip(padding);
        if (type === 'L') longName = text(value, 0, size);
        if (type === 'x') ({ path: longName = longName, size: longSize = longSize } = paxOf(value));
        continue;
      }
      const name = longName ?? nameOf(header);
      [longName, longSize] = [null, null];
      const isFile = type === '0' || type === '\0' || type === '7';
      if (isFile && !name.endsWith('/')) {
        const file = input.file(name, size);
        yield { name, content: file.content };
        await file.finish();
      } else if (isFile) await input.skip(size);
      await input.skip(padding);
    }
  } finally {
    await input.close();
  }
}

const cut = ({ name }: Content, at: number): ImportError =>
  new ImportError(`${name}: the archive is cut after byte ${at}`);

const text = (bytes: Buffer, at: number, length: number): string => {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
};

const nameOf = (header: Buffer): string => {
  const isUstar = header.toString('latin1', 257, 262) === 'ustar';
  const prefix = isUstar && header.toString('latin1', 257, 265) !== 'ustar  \0' ? text(header, 345, 155) : '';
  return `${prefix === '' ? '' : `${prefix}/`}${text(header, 0, 100)}`;
};

/** Octal digits, or a binary number if it is large. */
const numberAt = (header: Buffer, at: number, length: number): number =>
  ((header[at] ?? 0) & 0x80) === 0
    ? Number.parseInt(text(header, at, length).trim() || '0', 8)
    : Number(header.readBigUInt64BE(at + length - 8));

/** Records such as `30 path=a/very/long/name\n`. */
const paxOf = (value: Buffer): { path?: string; size?: number } => {
  const found: { path?: string; size?: number } = {};
  for (let at = 0; at < value.length;) {
    const length = Number.parseInt(value.toString('latin1', at, at + 12), 10);
    if (!(length > 0)) break;
    const record = value.toString('utf8', value.indexOf(' ', at) + 1, at + length - 1);
    const [key] = record.split('=', 1);
    if (key === 'path') found.path = record.slice(5);
    if (key === 'size') found.size = Number(record.slice(5));
    at += length;
  }
  return found;
};

interface TarInput {
  readonly at: () => number;
  /** Fewer bytes at the end. */
  readonly take: (bytes: number) => Promise<Buffer>;
  readonly skip: (bytes: number) => Promise<void>;
  readonly file: (name: string, size: number) => { readonly content: Content; readonly finish: () => Promise<void> };
  readonly close: () => Promise<void>;
}

/** A tar that is a file itself has its files at places of it, so that nothing is read twice. */
const tarInput = (archive: Content): TarInput => {
  const { random } = archive;
  if (!random) return streamInput(archive);
  let at = 0;
  return {
    at: () => at,
    take: async (bytes) => {
      const taken = await random.read(at, bytes);
      at += taken.length;
      return taken;
    },
    skip: (bytes) => Promise.resolve(void (at += bytes)),
    file: (name, size) => {
      if (at + size > random.size) throw cut(archive, at);
      const start = at;
      return {
        content: rangeContent(`${archive.name}/${name}`, { start, size }, random),
        finish: () => Promise.resolve(void (at = start + size)),
      };
    },
    close: () => Promise.resolve(),
  };
};

const streamInput = (archive: Content): TarInput => {
  const blocks = archive.blocks();
  let held: Buffer = Buffer.alloc(0);
  let at = 0;
  /** Up to `most` bytes, none at the end. */
  const some = async (most: number): Promise<Buffer> => {
    while (held.length === 0) {
      const next = await blocks.next();
      if (next.done === true) return held;
      held = next.value;
    }
    const taken = held.subarray(0, most);
    held = held.subarray(taken.length);
    at += taken.length;
    return taken;
  };
  const take = async (bytes: number): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for (let left = bytes; left > 0;) {
      const part = await some(left);
      if (part.length === 0) break;
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  };
  const skip = async (bytes: number): Promise<void> => {
    for (let left = bytes; left > 0;) {
      const part = await some(left);
      if (part.length === 0) return;
      left -= part.length;
    }
  };
  const file: TarInput['file'] = (name, size) => {
    let left = size;
    const start = at;
    async function* fileBlocks(): AsyncGenerator<Buffer, void, undefined> {
      while (left > 0) {
        const part = await some(left);
        if (part.length === 0) throw cut(archive, at);
        left -= part.length;
        yield part;
      }
    }
    const content = streamContent(
      {
        ...archive,
        name: `${archive.name}/${name}`,
        sizeBytes: size,
        bytesRead: () => at - start,
        close: () => Promise.resolve(),
      },
      fileBlocks,
    );
    return { content, finish: () => skip(left) };
  };
  return { at: () => at, take, skip, file, close: async () => void (await blocks.return()) };
};
