import { Reply } from '@almanac/bus';
import {
  asOfField,
  type BookBasis,
  boundOf,
  everyChangeUs,
  type Notice,
  readTimeOf,
  secondsOf,
  type timeseriesRpc,
} from '@almanac/contracts';
import { z } from 'zod';
import { isCovered, isInGap, knownFromUs, type KnownTimes } from '../gaps/market-gaps.js';
import { loadMarket } from '../as-of/load-markets.js';
import { fileMetadata, receivedEndUs } from '../as-of/received.js';
import { freshUntil, type MarketContext } from '../market-context.js';
import type { ReadDeps } from '../read-context.js';
import { type BookGrant, bookGrant, type BookRights } from '../snapshots/book-access.js';
import type { Caller } from '../snapshots/snapshots.query.js';
import { readTable } from '../tables/read-table.js';
import { bookAtTable, lastBookSql } from './book-sql.js';

export type BookDeps = ReadDeps & BookRights;
export type BookRequest = z.output<typeof timeseriesRpc.book.input>;

/** Answers with the last book of a market at or before a time, or without one if it is unknown then. */
export const answerBook = async (deps: BookDeps, request: BookRequest, caller: Caller): Promise<Reply> => {
  const requestedUs = boundOf('at_ts', request.at_ts);
  const market = await loadMarket(deps, { ticker: request.ticker, time: readTimeOf(request.as_of) }, caller);
  const atUs = requestedUs ?? lastMomentUs(market);
  const book = await bookGrant(deps, {
    isRequested: true,
    plan: caller.plan,
    account: caller.account,
    event: market.state.event_ticker,
  });
  const [known] = await deps.gaps.of([market], caller);
  if (known === undefined) throw new Error('a market has gaps or none');
  const inGap = isInGap(known.gaps, atUs);
  const us = inGap ? null : await bookUs(deps, { market, atUs, known }, caller);
  const { format: form, numbers } = request;
  const head = headOf({ request, atUs, inGap, us, book, known, market });
  const query = { ticker: request.ticker, at_ts: head.at_ts, depth: request.depth ?? null, numbers };
  const table = await readTable(
    deps.rows,
    {
      form,
      numbers,
      table: bookAtTable,
      params: { ticker: request.ticker, row_us: us ?? -1, at_us: atUs, ...levelsOf(request, book) },
      metadata: fileMetadata(query, market),
    },
    caller,
  );
  const cacheable = book.sharedByPlan && !(requestedUs === null && market.times.live && market.times.moves);
  const meta = {
    ticker: request.ticker,
    version: market.version,
    ...freshUntil(market),
    cacheable,
    ...noticesOf(book),
  };
  const echo = asOfField(market.asOfUs);
  if (form === 'json') return new Reply(withRow({ ...head, ...echo }, table.count === 0 ? noRow : table.bytes), meta);
  const { at_ts, basis, in_gap, include_book } = head;
  return new Reply(table.bytes, { ...meta, head: { at_ts, basis, in_gap, include_book, count: table.count, ...echo } });
};

/** Now, or the time of the last observation of a market that is not live. */
const lastMomentUs = ({ times }: MarketContext): number =>
  times.live ? times.nowUs : (times.lastUs ?? times.closeUs ?? times.nowUs);

const depthMax = 1_000_000;

const levelsOf = ({ depth }: BookRequest, { included }: BookGrant) =>
  ({ depth: depth ?? depthMax, with_book: included ? 1 : 0 }) as const;

const lastBook = z.object({ last_us: z.int() });

interface BookMoment {
  readonly market: MarketContext;
  readonly atUs: number;
  readonly known: KnownTimes;
}

/** The time of the last stored book, null if there is none or if a gap follows it. */
const bookUs = async (
  { rows }: ReadDeps,
  { market, atUs, known }: BookMoment,
  caller: Caller,
): Promise<number | null> => {
  const untilUs = Math.min(atUs, receivedEndUs(market) - 1);
  const params = { ticker: market.state.ticker, from_us: knownFromUs(known.gaps, atUs), at_us: untilUs };
  const [found] = await rows.parsed({ sql: lastBookSql, params }, lastBook, caller);
  return found?.last_us ?? null;
};

interface HeadInput {
  readonly request: BookRequest;
  readonly atUs: number;
  readonly inGap: boolean;
  readonly us: number | null;
  readonly book: BookGrant;
  readonly known: KnownTimes;
  readonly market: MarketContext;
}

const headOf = ({ request, atUs, inGap, us, book, known, market }: HeadInput) => ({
  ticker: request.ticker,
  at_ts: secondsOf(atUs),
  // A book does not change after the close.
  basis:
    us === null ? null : basisOf(known, { us, untilUs: Math.max(us, Math.min(atUs, market.times.closeUs ?? atUs)) }),
  in_gap: inGap,
  include_book: book.included,
  notice: book.notice,
});

/** Only a recording of books states that it is complete, and the interval of which it stores the last book. */
const basisOf = (
  { spans }: KnownTimes,
  { us, untilUs }: { readonly us: number; readonly untilUs: number },
): BookBasis => {
  const books = spans.filter(({ layer }) => layer === 'l2');
  const everyChange = books.filter(({ sample_us: sampleUs }) => sampleUs === everyChangeUs);
  if (isCovered(everyChange, us, untilUs)) return 'every_change';
  return isCovered(books, us, us) ? 'sampled' : 'snapshot';
};

const noticesOf = ({ notice }: BookGrant): { notices?: Notice[] } =>
  notice === null ? {} : { notices: [{ code: 'books_not_included', detail: notice, loc: null, nearest: null }] };

const noRow = Buffer.from(
  '[{"ts":null,"venue_ts":null,"seq":null,"age_ms":null,"orderbook_yes":null,"orderbook_no":null}]',
);

/** An object with the fields of the head and those of the only row. */
const withRow = (head: object, rows: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify(head).slice(0, -1)},`), rows.subarray(2, -1)]);
