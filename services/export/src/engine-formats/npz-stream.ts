import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { asBuffer } from '@almanac/clickhouse';
import { ZipFile } from 'yazl';
import { IncompleteFileError } from '../files/classify-errors.js';

/** `event_dtype` of hftbacktest. */
const fields = [
  ['ev', '<u8'],
  ['exch_ts', '<i8'],
  ['local_ts', '<i8'],
  ['px', '<f8'],
  ['qty', '<f8'],
  ['order_id', '<u8'],
  ['ival', '<i8'],
  ['fval', '<f8'],
] as const;
const eventBytes = 8 * fields.length;

/** Level 3 makes the file a few percent larger than the usual 6, in a third of the time. */
const compressionLevel = 3;
/** The same in each file, so that equal arrays have equal bytes. The parts are local, as the format has no time zone. */
const modified = new Date(1980, 0, 1);

export interface NpzOptions {
  /** Number of events. It stands before them, so it must be known. */
  readonly length: number;
  /** Called after the last event. */
  readonly onRows: (rows: number) => void;
  readonly onRowsSoFar: (rows: number) => void;
}

/**
 * A file for `numpy.load`: the array `data` of events, which `source` has as bytes. Throws if it has another number of
 * events.
 */
export async function* npzStream(
  source: AsyncIterable<unknown>,
  { length, onRows, onRowsSoFar }: NpzOptions,
): AsyncGenerator<Buffer, void, void> {
  const zip = new ZipFile();
  const body = new PassThrough();
  const array = Readable.from(npyArray(source, { length, onRowsSoFar }), { objectMode: false });
  zip.addReadStream(array, 'data.npy', { mtime: modified, compressionLevel, forceDosTimestamp: true });
  zip.end();
  zip.once('error', (error: Error) => body.destroy(error));
  const written = pipeline(zip.outputStream, body);
  written.catch(() => undefined);
  try {
    for await (const chunk of body) yield asBuffer(chunk);
    await written;
    onRows(length);
  } finally {
    array.destroy();
    body.destroy();
  }
}

async function* npyArray(
  source: AsyncIterable<unknown>,
  { length, onRowsSoFar }: Pick<NpzOptions, 'length' | 'onRowsSoFar'>,
): AsyncGenerator<Buffer, void, void> {
  yield npyHeader(length);
  let bytes = 0;
  for await (const chunk of source) {
    const part = asBuffer(chunk);
    bytes += part.length;
    onRowsSoFar(Math.floor(bytes / eventBytes));
    yield part;
  }
  if (bytes !== length * eventBytes) {
    throw new IncompleteFileError(`the array has ${bytes / eventBytes} events in place of ${length}`);
  }
}

/** Version 1.0 of the format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
const npyHeader = (length: number): Buffer => {
  const descr = fields.map(([name, type]) => `('${name}', '${type}')`).join(', ');
  const header = `{'descr': [${descr}], 'fortran_order': False, 'shape': (${length},), }`;
  const begin = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, 0, 0]);
  // The events begin at a multiple of 64.
  const size = Math.ceil((begin.length + header.length + 1) / 64) * 64 - begin.length;
  begin.writeUInt16LE(size, begin.length - 2);
  return Buffer.concat([begin, Buffer.from(`${header.padEnd(size - 1)}\n`, 'latin1')]);
};
