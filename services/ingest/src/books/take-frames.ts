import { messagesOf, type FrameRun } from '../model/frame-run.js';
import type { BookMarket } from './book-market.js';
import type { Placed } from './subscriptions.js';
import { claim, agreesWithClaim, type RunState } from './take-run.js';

/**
 * Takes rows of a run, as `Rebuild.take` would take their messages. Returns the first row that it leaves to `take`: one after a jump or a
 * silence, with an earlier time, before the book of its market, after best prices that contradict it, or of another rule of numbers.
 */
export const takeFrames = (run: FrameRun, from: number, state: RunState): number => {
  const { columns, first, sid } = run;
  const beforeUs = state.lastUs.get(state.clock) ?? 0;
  if (beforeUs === 0) return from;
  const row = sid === null ? takeLevels(run, from, beforeUs, state) : takeChanges(run, from, beforeUs, state);
  if (row === from) return from;
  const last = first + row - 1;
  const us = columns.us[last] ?? 0;
  state.lastUs.set(state.clock, us);
  state.sequences.recordMessage(sid === null ? { us, sid, seq: null } : lastPlaced(run, last));
  return row;
};

/** A message that comes again is compared with the whole last one. */
const lastPlaced = ({ columns, sid }: FrameRun, at: number): Placed => {
  const [message] = messagesOf(columns, at);
  return message?.kind === 'change' ? message : { us: columns.us[at] ?? 0, sid, seq: columns.seq[at] ?? 0 };
};

/** The market of a row whose book is certain, if the row comes in time. */
const marketAt = ({ columns }: FrameRun, at: number, lastUs: number, state: RunState): BookMarket | null => {
  const us = columns.us[at] ?? 0;
  if (us < lastUs || us - lastUs > state.silenceUs) return null;
  const market = state.markets.get(columns.tickers[at] ?? '');
  return market === undefined || market.certainSinceUs === null ? null : market;
};

/** Hot: the same steps as those of a message, without an object for each. */
const takeChanges = (run: FrameRun, from: number, beforeUs: number, state: RunState): number => {
  const { columns, count, first } = run;
  const { samples, counts, sequences, rules } = state;
  const rule = rules.ruleOf(run.sid);
  let lastSeq = sequences.lastOf(run.sid)?.seq ?? null;
  if ((rule !== 'whole' && rule !== 'shared') || lastSeq === null) return from;
  let lastUs = beforeUs;
  for (let row = from; row < count; row += 1) {
    const at = first + row;
    const seq = columns.seq[at] ?? 0;
    if (seq !== lastSeq + 1 && !(rule === 'shared' && seq > lastSeq)) return row;
    const market = marketAt(run, at, lastUs, state);
    if (market === null || market.claims !== null) return row;
    const sentUs = columns.venueUs[at] ?? NaN;
    run.at = row;
    lastUs = columns.us[at] ?? 0;
    // NaN differs from each time, as a time that is not known does.
    if (market.venueUs !== sentUs) market.beforeUs = market.us;
    samples.before(market, lastUs);
    if (!market.book.change(columns.isYes[at] === 1 ? 'yes' : 'no', columns.price[at] ?? 0, columns.amount[at] ?? 0))
      return row;
    counts.changes += 1;
    samples.after(market, lastUs, Number.isNaN(sentUs) ? null : sentUs, seq);
    lastSeq = seq;
  }
  return count;
};

/** Hot, too. */
const takeLevels = (run: FrameRun, from: number, beforeUs: number, state: RunState): number => {
  const { columns, count, first } = run;
  const { samples, counts } = state;
  let lastUs = beforeUs;
  for (let row = from; row < count; row += 1) {
    const at = first + row;
    const market = marketAt(run, at, lastUs, state);
    const sentUs = columns.venueUs[at] ?? NaN;
    if (market === null || !agreesWithClaim(market, sentUs)) return row;
    run.at = row;
    lastUs = columns.us[at] ?? 0;
    if (market.venueUs !== sentUs) market.beforeUs = market.us;
    samples.before(market, lastUs);
    market.book.set(columns.isYes[at] === 1 ? 'yes' : 'no', columns.price[at] ?? 0, columns.amount[at] ?? 0);
    counts.changes += 1;
    samples.after(market, lastUs, sentUs, null);
    claim(market, columns, at);
  }
  return count;
};
