import { besides, type BookRun, type RunChanges } from '../model/book-run.js';
import type { RebuildCounts } from '../intake/report.js';
import type { BookMarket } from './book-market.js';
import type { Sampler } from './sampler.js';
import type { Sequences } from './sequence-rules.js';
import type { Subscriptions } from './subscriptions.js';
import { isContradicted } from './venue-claims.js';

export interface RunState {
  readonly markets: ReadonlyMap<string, BookMarket>;
  readonly counts: RebuildCounts;
  readonly sequences: Subscriptions;
  readonly samples: Sampler;
  /** By subscription: the time of its last message. */
  readonly lastUs: Map<number | null, number>;
  /** The clock of the run. */
  readonly clock: number | null;
  readonly rules: Sequences;
  /** A longer silence may hide a loss. */
  readonly silenceUs: number;
}

/**
 * Takes rows of a run, as `Rebuild.take` would take their messages. Returns the first row that it leaves to `take`: one before the
 * book of its market, with an earlier time, or after best prices that contradict the book.
 */
export const takeRun = (run: BookRun, from: number, state: RunState): number => {
  const { clock, lastUs, sequences } = state;
  if (state.silenceUs < Infinity) return from;
  const before = lastUs.get(clock) ?? 0;
  const row =
    run.changes === null ? lateRow(run, from, before) : takeChanges(run, run.changes, { from, before, state });
  const us = run.us[row - 1];
  if (row === from || us === undefined) return row;
  lastUs.set(clock, us);
  sequences.recordMessage({ us, sid: run.sid, seq: null });
  return row;
};

/** The first row with an earlier time than the one before. */
const lateRow = ({ count, us }: BookRun, from: number, before: number): number => {
  let last = before;
  for (let row = from; row < count; row += 1) {
    const next = us[row] ?? 0;
    if (next < last) return row;
    last = next;
  }
  return count;
};

interface Taking {
  readonly from: number;
  readonly before: number;
  readonly state: RunState;
}

/** Hot: the same steps as those of a message, without an object for each. */
const takeChanges = (run: BookRun, changes: RunChanges, { from, before, state }: Taking): number => {
  const { count, us } = run;
  const market = state.markets.get(changes.ticker);
  if (market === undefined || market.certainSinceUs === null) return from;
  const { samples, counts } = state;
  const { book } = market;
  let last = before;
  for (let row = from; row < count; row += 1) {
    const at = us[row] ?? 0;
    if (at < last) return row;
    const sentUs = changes.venueUs[row] ?? NaN;
    if (!agreesWithClaim(market, sentUs)) return row;
    if (market.venueUs !== sentUs) market.beforeUs = market.us;
    run.at = row;
    samples.before(market, at);
    book.set(changes.isYes[row] === 1 ? 'yes' : 'no', changes.price[row] ?? 0, changes.size[row] ?? 0);
    counts.changes += 1;
    samples.after(market, at, sentUs, null);
    claim(market, changes, row);
    last = at;
  }
  return count;
};

/** Before a change of a time of the venue. False: best prices of another time contradict the book. */
export const agreesWithClaim = (market: BookMarket, sentUs: number): boolean => {
  const { claims, book } = market;
  if (claims === null || claims.venueUs === sentUs) return true;
  if (isContradicted(claims, book)) return false;
  market.claims = null;
  return true;
};

type Stated = Pick<RunChanges, 'beside' | 'bid' | 'ask' | 'venueUs'>;

/** As `claimed` of the best prices of the row. */
export const claim = (market: BookMarket, { beside, bid, ask, venueUs }: Stated, row: number): void => {
  const kind = beside[row] ?? besides.nothing;
  if (kind < besides.bid) return;
  const claims = (market.claims ??= { venueUs: venueUs[row] ?? 0 });
  const price = (kind === besides.bid ? bid : ask)[row] ?? NaN;
  const stated = Number.isNaN(price) ? null : price;
  if (kind === besides.bid) claims.bid = stated;
  else claims.ask = stated;
};
