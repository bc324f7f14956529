import { readArrowMessage, withSchemaMetadata } from './arrow-schema.js';
import { asBuffer, type FileParts } from './parquet-stream.js';

/** The start of each message, before the length of its metadata. A length of 0 ends the stream. */
const continuation = -1;
const headBytes = 8;
/** Metadata has a few bytes for each column and buffer. */
const metadataMax = 16 * 1_024 * 1_024;

/**
 * An Arrow IPC stream of ClickHouse, with metadata in its schema. Bodies of record batches pass without a copy. Throws if
 * the stream has no end, so a stream that was cut never passes. `onRows` gets its row count.
 */
export async function* withArrowMetadata(
  source: AsyncIterable<unknown>,
  { metadata, onRows }: FileParts,
): AsyncGenerator<Buffer, void, void> {
  let rows = 0;
  let bodyLeft = 0;
  let held: Buffer = Buffer.alloc(0);
  let hasEnd = false;
  for await (const chunk of source) {
    const bytes = held.length === 0 ? asBuffer(chunk) : Buffer.concat([held, asBuffer(chunk)]);
    let [sent, at] = [0, Math.min(bodyLeft, bytes.length)];
    bodyLeft -= at;
    for (let next = messageAt(bytes, at); next !== undefined && bodyLeft === 0; next = messageAt(bytes, at)) {
      if (hasEnd) throw new Error('the Arrow stream goes on after its end');
      const { end, isEnd, isSchema, bodyLength } = next;
      hasEnd = isEnd;
      rows += next.rows;
      if (isSchema) {
        yield bytes.subarray(sent, at);
        yield schemaMessage(bytes.subarray(at + headBytes, end), metadata);
        sent = end;
      }
      const body = Math.min(bodyLength, bytes.length - end);
      bodyLeft = bodyLength - body;
      at = end + body;
    }
    yield bytes.subarray(sent, at);
    held = bytes.subarray(at);
  }
  if (!hasEnd || held.length > 0) throw new Error('the Arrow stream has no end');
  onRows(rows);
}

interface Message extends ReturnType<typeof readArrowMessage> {
  /** Where its metadata ends. */
  readonly end: number;
  readonly isEnd: boolean;
}

/** The message at a place, undefined if its metadata is not there yet. */
const messageAt = (bytes: Buffer, at: number): Message | undefined => {
  if (bytes.length - at < headBytes) return undefined;
  const length = bytes.readInt32LE(at + 4);
  if (bytes.readInt32LE(at) !== continuation || length < 0 || length > metadataMax)
    throw new Error('the Arrow stream is damaged');
  const end = at + headBytes + length;
  if (length === 0) return { end, isEnd: true, isSchema: false, rows: 0, bodyLength: 0 };
  return end > bytes.length
    ? undefined
    : { end, isEnd: false, ...readArrowMessage(bytes.subarray(at + headBytes, end)) };
};

const schemaMessage = (old: Buffer, metadata: FileParts['metadata']): Buffer => {
  const bytes = withSchemaMetadata(old, metadata);
  const head = Buffer.alloc(headBytes);
  head.writeInt32LE(continuation, 0);
  head.writeInt32LE(bytes.length, 4);
  return Buffer.concat([head, bytes]);
};
