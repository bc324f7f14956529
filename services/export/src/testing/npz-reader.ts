import { promisify } from 'node:util';
import { fromBuffer, type Entry, type Options, type ZipFile } from 'yauzl';

export interface EngineEvent {
  /** Kind of the event: the low bits of `ev`. */
  readonly kind: number;
  readonly isBuy: boolean;
  readonly isSell: boolean;
  /** Whether both the exchange and the local processor handle it. */
  readonly isForBoth: boolean;
  readonly exch_ts: bigint;
  readonly local_ts: bigint;
  readonly px: number;
  readonly qty: number;
}

const open = promisify<Buffer, Options, ZipFile>(fromBuffer);

/** The array `data` of an npz file, read as NumPy documents the format. */
export const readNpz = async (file: Buffer): Promise<EngineEvent[]> => {
  const array = await onlyEntry(await open(file, { lazyEntries: true }));
  if (array.subarray(0, 8).toString('latin1') !== '\u0093NUMPY\u0001\u0000') throw new Error('this is no npy 1.0');
  const dataAt = 10 + array.readUInt16LE(8);
  if (dataAt % 64 !== 0) throw new Error('the data is not aligned');
  const header = array.subarray(10, dataAt).toString('latin1');
  const match = /^\{'descr': \[(?<fields>.*)\], 'fortran_order': False, 'shape': \((?<length>\d+),\), \} *\n$/.exec(
    header,
  );
  const fields = [...(match?.groups?.['fields'] ?? '').matchAll(/\('(\w+)', '<([uif])8'\)/g)].map(([, name]) => name);
  if (fields.join() !== 'ev,exch_ts,local_ts,px,qty,order_id,ival,fval')
    throw new Error(`unexpected header: ${header}`);
  const length = Number(match?.groups?.['length']);
  if (array.length !== dataAt + length * 64) throw new Error(`${array.length} bytes are not ${length} events`);
  return Array.from({ length }, (_, index) => eventAt(array, dataAt + index * 64));
};

const eventAt = (array: Buffer, at: number): EngineEvent => {
  const ev = Number(array.readBigUInt64LE(at));
  return {
    kind: ev & 0xff,
    isBuy: (ev & 0x20_00_00_00) !== 0,
    isSell: (ev & 0x10_00_00_00) !== 0,
    isForBoth: ev >= 0xc0_00_00_00,
    exch_ts: array.readBigInt64LE(at + 8),
    local_ts: array.readBigInt64LE(at + 16),
    px: array.readDoubleLE(at + 24),
    qty: array.readDoubleLE(at + 32),
  };
};

/** Throws unless the file has one entry with the name `data.npy`. */
const onlyEntry = async (zip: ZipFile): Promise<Buffer> => {
  if (zip.entryCount !== 1) throw new Error(`the file has ${zip.entryCount} entries`);
  const entry = await new Promise<Entry>((resolve, reject) => {
    zip.once('entry', resolve);
    zip.once('error', reject);
    zip.readEntry();
  });
  if (entry.fileName !== 'data.npy') throw new Error(`the file has ${entry.fileName}`);
  const stream = await promisify(zip.openReadStream.bind(zip))(entry);
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks);
};
