import { footerBytes, withMetadata } from './parquet-footer.js';

/** Larger than any footer of ours: 200 bytes for each column and row group, and a group has a million rows. */
const heldBytes = 4 * 1_024 * 1_024;

/** What a file gets besides its rows, and who gets their number. */
export interface FileParts {
  /** Key-value metadata. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly onRows: (rows: number) => void;
}

/**
 * A Parquet file of ClickHouse as it streams, with metadata in its footer. Holds back the last bytes until the start of
 * the footer is known. Throws if the file has no end, so a file that was cut never passes. `onRows` gets its row count.
 */
export async function* withParquetMetadata(
  source: AsyncIterable<unknown>,
  { metadata, onRows }: FileParts,
): AsyncGenerator<Buffer, void, void> {
  const held: Buffer[] = [];
  let total = 0;
  for await (const chunk of source) {
    const bytes = asBuffer(chunk);
    held.push(bytes);
    total += bytes.length;
    for (let first = held[0]; first !== undefined && total - first.length >= heldBytes; first = held[0]) {
      held.shift();
      total -= first.length;
      yield first;
    }
  }
  const end = Buffer.concat(held);
  const size = footerBytes(end);
  if (size > end.length) throw new Error(`the Parquet footer of ${size} bytes is larger than what is held back`);
  yield end.subarray(0, end.length - size);
  const footer = withMetadata(end.subarray(end.length - size), metadata);
  onRows(footer.rows);
  yield footer.bytes;
}

/** Types a chunk of a stream of ClickHouse. */
export const asBuffer = (chunk: unknown): Buffer => {
  if (chunk instanceof Buffer) return chunk;
  throw new TypeError('ClickHouse streams bytes');
};
