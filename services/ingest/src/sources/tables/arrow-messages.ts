import { flatbufferField, flatbufferTarget } from '@almanac/runtime';
import { ImportError } from '../../errors.js';
import type { RandomAccess } from '../packed/content.js';

export type ArrowMessage = { readonly at: number; readonly bytes: Uint8Array } & (
  | { readonly kind: 'schema' | 'batch' }
  | { readonly kind: 'dictionary'; readonly id: bigint; readonly isDelta: boolean }
);

const continuation = -1;
const magic = 'ARROW1';
const fileHeadBytes = 8;
/** A larger message is an attack, or should be several. */
const messageBytesMax = 512 * 1024 * 1024;

/**
 * The messages of an Arrow IPC stream, or of a file, which has the same messages between two marks. The footer of a file is
 * not needed, and must be there, because a file without it is cut.
 */
export async function* arrowMessages(
  name: string,
  random: RandomAccess,
): AsyncGenerator<ArrowMessage, void, undefined> {
  const fault = (at: number, what: string): ImportError =>
    new ImportError(`${name}: Arrow message at byte ${at}: ${what}`);
  const isFile = (await random.read(0, magic.length)).toString('latin1') === magic;
  if (isFile) await checkEnd(name, random);
  for (let at = isFile ? fileHeadBytes : 0; at < random.size;) {
    const head = await random.read(at, 8);
    if (head.length < 4) throw fault(at, 'the file is cut');
    const isOld = head.readInt32LE(0) !== continuation;
    if (!isOld && head.length < 8) throw fault(at, 'the file is cut');
    const length = head.readInt32LE(isOld ? 0 : 4);
    // The end of the stream.
    if (length === 0) return;
    const metadataAt = at + (isOld ? 4 : 8);
    if (length < 0 || length > messageBytesMax) throw fault(at, `it states ${length} bytes of metadata`);
    const metadata = await random.read(metadataAt, length);
    if (metadata.length < length) throw fault(at, 'the file is cut');
    const { headerType, header, bodyLength } = headOf(metadata, () => fault(at, 'its metadata is damaged'));
    if (bodyLength > messageBytesMax) throw fault(at, `it has ${bodyLength} bytes, more than ${messageBytesMax}`);
    const end = metadataAt + length + bodyLength;
    if (end > random.size) throw fault(at, 'the file is cut');
    const bytes = await aligned(random, { at, length: end - at });
    if (headerType === 1) yield { kind: 'schema', at, bytes };
    if (headerType === 3) yield { kind: 'batch', at, bytes };
    if (headerType === 2) yield { kind: 'dictionary', at, bytes, ...dictionaryOf(metadata, header) };
    at = end;
  }
}

const checkEnd = async (name: string, random: RandomAccess): Promise<void> => {
  const end = await random.read(Math.max(0, random.size - magic.length - 4), magic.length + 4);
  if (end.toString('latin1', 4) !== magic)
    throw new ImportError(`${name}: the Arrow file is cut: its footer is missing at its end (byte ${random.size})`);
  const footer = end.readInt32LE(0);
  if (footer <= 0 || footer > random.size)
    throw new ImportError(
      `${name}: the footer of the Arrow file is wrong: it states ${footer} bytes, and the file has ${random.size}`,
    );
};

/** Columns of 64 bits are read in place, so they begin at a multiple of 8. */
const aligned = async (
  random: RandomAccess,
  { at, length }: { readonly at: number; readonly length: number },
): Promise<Uint8Array> => {
  const bytes = new Uint8Array(length);
  bytes.set(await random.read(at, length));
  return bytes;
};

const headOf = (
  metadata: Buffer,
  damaged: () => ImportError,
): { readonly headerType: number; readonly header: number; readonly bodyLength: number } => {
  try {
    const root = metadata.readUInt32LE(0);
    const [typeAt, lengthAt] = [1, 3].map((field) => flatbufferField(metadata, root, field));
    const header = flatbufferTarget(metadata, root, 2);
    const bodyLength = lengthAt ? Number(metadata.readBigInt64LE(lengthAt)) : 0;
    if (!typeAt || header === 0 || bodyLength < 0) throw damaged();
    return { headerType: metadata.readUInt8(typeAt), header, bodyLength };
  } catch (error) {
    throw error instanceof RangeError ? damaged() : error;
  }
};

const dictionaryOf = (metadata: Buffer, header: number): { readonly id: bigint; readonly isDelta: boolean } => {
  const [idAt, deltaAt] = [flatbufferField(metadata, header, 0), flatbufferField(metadata, header, 2)];
  return { id: idAt ? metadata.readBigInt64LE(idAt) : 0n, isDelta: deltaAt !== 0 && metadata.readUInt8(deltaAt) === 1 };
};
