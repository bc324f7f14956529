import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '@almanac/contracts';
import { type BookMessage, refusal } from '../../model/feed-message.js';
import { ImportError, sentenceOf } from '../../errors.js';
import type { MarketFact } from '../../model/market-fact.js';
import { readDecimal } from '../../values/decimal.js';
import { withKnowledge } from '../../model/knowledge.js';
import { readTime } from '../../values/time.js';
import type { BookSource } from '../../model/book-source.js';
import { type AcceptAltered } from '../../values/altered.js';
import { inexact, inexactTime, receiveTime } from '../../sources/receive-time.js';
import { storedDecimal } from '../../values/stored-values.js';
import { isThere, marketResults, recordedFiles, unreadFiles } from './kalshi-recording-folder.js';
import { kalshiMessage } from './kalshi-frames.js';
import { kalshiFactOf } from './kalshi-ticker.js';
import { merged, type Timed } from '../../sources/merge-by-time.js';
import { type ByteSource, linesIn, openBytes, textBlocks } from '../../sources/open/open-bytes.js';
import { textOf } from '../../sources/record-fields.js';
import { isObject, type JsonObject } from '../../sources/source.js';

/** The order within one microsecond: markets and coins, then the connection, then books by `seq`, then tops. */
const orders: Readonly<Record<string, number>> = {
  spot: -6,
  watch_market: -5,
  market_rotated: -4,
  ws_connected: -3,
  ws_subscribed: -2,
  orderbook_snapshot: 0,
  orderbook_delta: 0,
  ticker: Number.MAX_SAFE_INTEGER,
};

interface Received extends Timed {
  readonly message: BookMessage;
}

/**
 * Reads a recorder's folder of Kalshi's books. `raw_events/type=<type>/day=…/hour=…/*.ndjson.gz` has one event per line
 * with the venue's message as `payload_json`. `spot_ticks.ndjson.gz` has trades of the coin, and `market_results.json`
 * the results. `book_checkpoints` is ignored, because it rounds to cents while the deltas are exact.
 *
 * Throws an `ImportError` that names what cannot be read.
 */
export const openKalshiRecording = async (folder: string, accept: AcceptAltered): Promise<BookSource> => {
  const context: RecorderContext = { results: await resultsIn(folder), sidOf: subscriptionIds(), accept };
  const files: { readonly type: string; readonly path: string; readonly bytes: ByteSource }[] = [];
  const recorded = await recordedFiles(folder);
  for (const { type, path } of recorded) files.push({ type, path, bytes: await openBytes(path) });
  const unread = await unreadFiles(folder, recorded);
  const ofType = (type: string): AsyncIterable<readonly Received[]> =>
    received(
      type,
      files.filter((part) => part.type === type),
      context,
    );
  return {
    name: () => 'Kalshi recording',
    factOf: kalshiFactOf,
    unread,
    sizeBytes: files.reduce((sum, { bytes }) => sum + bytes.sizeBytes, 0),
    bytesRead: () => files.reduce((sum, { bytes }) => sum + bytes.bytesRead(), 0),
    blocks: async function* () {
      const types = new Set(files.map(({ type }) => type));
      for await (const block of merged(Array.from(types, ofType))) yield block.map(({ message }) => message);
    },
  };
};

interface RecorderContext {
  readonly results: Results;
  readonly sidOf: SubscriptionId;
  readonly accept: AcceptAltered;
}

type SubscriptionId = (connection: string, ticker: string) => number;

/**
 * The recorder does not write the id of a subscription. It has one for each market of a connection, and each counts
 * its own sequence.
 */
const subscriptionIds = (): SubscriptionId => {
  const known = new Map<string, number>();
  return (connection, ticker) => {
    const key = `${connection} ${ticker}`;
    const sid = known.get(key) ?? known.size + 1;
    known.set(key, sid);
    return sid;
  };
};

type Results = ReadonlyMap<string, Pick<MarketFact, 'result' | 'venue_status'>>;

const resultsIn = async (folder: string): Promise<Results> => {
  const path = join(folder, marketResults);
  if (!(await isThere(path))) return new Map();
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new ImportError(`${path}: the file cannot be read (${sentenceOf(cause)})`, { cause });
  }
  const listed = Array.isArray(parsed) ? parsed.filter(isObject) : [];
  return new Map(
    listed.flatMap(({ market, result, status }) =>
      typeof market === 'string' ? [[market, { result: textOf(result), venue_status: textOf(status) }] as const] : [],
    ),
  );
};

/** The lines of one type, file after file. An unreadable line takes the time of the line before it. */
async function* received(
  type: string,
  files: readonly { readonly path: string; readonly bytes: ByteSource }[],
  context: RecorderContext,
): AsyncGenerator<readonly Received[], void, undefined> {
  let lastUs = 0;
  const read = (line: string): Received => {
    const message = readLine(type, line, context);
    lastUs = message.kind === 'refused' ? (message.us ?? lastUs) : message.us;
    const order = 'seq' in message && message.seq !== null ? message.seq : (orders[type] ?? 0);
    return { us: lastUs, order, message };
  };
  for (const { path, bytes } of files) {
    for await (const lines of linesIn(path, textBlocks(path, bytes))) yield lines.map(read);
  }
}

const readLine = (type: string, line: string, context: RecorderContext): BookMessage => {
  const no = (reason: string): BookMessage => refusal({ reason, text: line });
  const event = parseJson(line);
  if (event === undefined) return no('not JSON');
  if (!isObject(event)) return no('not a message');
  // Nanoseconds have more digits than a binary float can hold.
  const us = receiveTime(receivedNs.exec(line)?.[1] ?? '', context.accept);
  if (us === null) return no('no receive time');
  if (us === inexact) return no(inexactTime);
  if (type === 'spot') return coinOf(us, event, context.accept) ?? no('a trade without a price or symbol');
  return eventOf({ us, type: textOf(event['event_type']) ?? type, event, context, line });
};

const receivedNs = /"local_recv_ns": ?(\d+)/;

const coinOf = (us: number, { price, symbol }: JsonObject, accept: AcceptAltered): BookMessage | null => {
  let accepted = true;
  const stored = storedDecimal(textOf(price) ?? '', {
    onAltered: (change) => (accepted = accept({ ...change, name: 'coin_price' }) && accepted),
  });
  return stored === null || !accepted || typeof symbol !== 'string'
    ? null
    : { kind: 'coin', us, symbol, price: stored };
};

interface Line {
  readonly us: number;
  readonly type: string;
  readonly event: JsonObject;
  readonly context: RecorderContext;
  readonly line: string;
}

const eventOf = ({ us, type, event, context, line }: Line): BookMessage => {
  const { results, sidOf } = context;
  const payload = isObject(event['payload_json']) ? event['payload_json'] : {};
  const ticker = textOf(event['market_ticker']);
  const sid = ticker === null ? null : sidOf(textOf(event['connection_id']) ?? '', ticker);
  if (type === 'watch_market' && ticker !== null)
    return { kind: 'market', us, fact: factOf(ticker, { us, payload, results }) };
  if (type === 'market_rotated')
    return { kind: 'lost', us, ticker, sid: null, reason: 'the recorder went on to another market' };
  if (type === 'ws_connected') return { kind: 'lost', us, ticker: null, sid, reason: 'the recorder connected anew' };
  if (type === 'ws_subscribed') return { kind: 'activity', us, sid: null, seq: null };
  return kalshiMessage({ us, type, sid, seq: event['sequence_number'], msg: payload }, line);
};

/** The results are of a file without times, so nothing dates them. */
const factOf = (
  ticker: string,
  { us, payload, results }: { us: number; payload: JsonObject; results: Results },
): MarketFact => {
  const closeUs = readTime(textOf(payload['close_time']) ?? '', 'iso');
  const strike = readDecimal(textOf(payload['strike']) ?? '');
  const watched: MarketFact = {
    ...kalshiFactOf(ticker),
    venue_status: textOf(payload['status']),
    ...(closeUs !== null && { close_us: closeUs }),
    ...(strike !== null && { floor_strike: strike }),
  };
  return { ...withKnowledge(watched, { receivedUs: us, createdUs: null }), ...results.get(ticker) };
};
