import type { Readable, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type { ChdbResult } from 'chdb';
import { settled } from './errors.js';
import type { PooledSession } from './session-pool.js';
import { quote } from './params.js';
import { giveUpWriter, openReader, openWriter, touchWriter } from './pipes.js';

export interface StreamedQuery {
  readonly head: string;
  readonly format: string;
  readonly tail: string;
  /** An INTO OUTFILE compression clause, `'none'` or `'gzip' LEVEL 3`. */
  readonly compression: string;
}

export interface RowsInsert {
  /** `INSERT INTO t (…)`, without FORMAT. */
  readonly head: string;
  readonly format: string;
  readonly compression: string;
  readonly body: readonly Buffer[];
}

/** Streams an answer through the session's pipe at the speed of `sink`, which is called for the first byte. */
export const streamOut = async (
  session: PooledSession,
  { tag, query, signal }: { tag: string; query: StreamedQuery; signal: AbortSignal },
  sink: () => Writable,
): Promise<void> => {
  const reader = openReader(session.pipe);
  const target = `INTO OUTFILE ${quote(session.pipe)} TRUNCATE COMPRESSION ${query.compression}`;
  const running = session.session.queryAsync(`${tag}${query.head}\n${target} FORMAT ${query.format}${query.tail}`);
  const outcome = settled(running);
  // Attached at once, because a socket emits its end only once.
  const end = settled(finished(reader, { writable: false }));
  try {
    void outcome.then(() => touchIfOpen(reader, session.pipe));
    const early = await Promise.race([firstByte(reader), outcome]);
    if (early instanceof Error) throw early;
    reader.pipe(sink(), { end: false });
    const broken = await Promise.race([end, aborted(signal)]);
    if (broken !== undefined) throw broken;
  } finally {
    // The pipe stays open and is read to its end. An engine that writes into a closed pipe hangs for ever (26.7: the
    // session is lost), but a killed query stops once its bytes are read.
    reader.unpipe();
    reader.resume();
    await outcome;
    reader.destroy();
  }
  const failed = await outcome;
  if (failed instanceof Error) throw failed;
};

const touchIfOpen = (reader: { readonly destroyed: boolean }, path: string): void => {
  if (!reader.destroyed) touchWriter(path);
};

/** Sends rows through the session's pipe: a third faster than as statement text, and never parsed as SQL. */
export const insertRows = async (session: PooledSession, tag: string, insert: RowsInsert): Promise<ChdbResult> => {
  const source = `FROM INFILE ${quote(session.pipe)} COMPRESSION ${insert.compression}`;
  const running = session.session.queryAsync(`${tag}${insert.head}\n${source} FORMAT ${insert.format}`);
  const opening = openWriter(session.pipe);
  const refused = await Promise.race([opening.then(() => undefined), settled(running)]);
  if (refused instanceof Error) {
    await giveUpWriter(session.pipe, opening);
    throw refused;
  }
  // An engine that refuses a row stops reading. Its error is the answer, not the broken pipe.
  await settled(pipeline(insert.body, await opening));
  return running;
};

/** Never resolves for an empty pipe: the engine's outcome shows whether that is an empty answer or an error. */
const firstByte = (stream: Readable): Promise<undefined> =>
  new Promise((resolve) => {
    stream.once('readable', () => {
      if (stream.readableLength > 0) resolve(undefined);
    });
  });

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
