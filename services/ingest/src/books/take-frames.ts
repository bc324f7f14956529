import type { RebuildCounts } from '../intake/report.js';
import { changeOf, type FrameRun } from '../model/frame-run.js';
import type { RunState } from './take-run.js';

/**
 * Takes rows of a run, as `Rebuild.take` would take their messages. Returns the first row that it leaves to `take`: one after a jump or a
 * silence, with an earlier time, before the book of its market, or of another rule of numbers.
 */
export const takeFrames = (run: FrameRun, from: number, state: RunState): number => {
  const { clock, lastUs, sequences, rules } = state;
  const rule = rules.ruleOf(run.sid);
  const last = sequences.lastOf(run.sid);
  const beforeUs = lastUs.get(clock) ?? 0;
  if ((rule !== 'whole' && rule !== 'shared') || last === null || last.seq === null || beforeUs === 0) return from;
  const row = takeChanges(run, from, { beforeUs, seq: last.seq, canJump: rule === 'shared', state });
  if (row === from) return from;
  const message = changeOf(run, row - 1);
  lastUs.set(clock, message.us);
  sequences.recordMessage(message);
  return row;
};

interface Taking {
  readonly beforeUs: number;
  readonly seq: number;
  readonly canJump: boolean;
  readonly state: RunState;
}

/** Hot: the same steps as those of a message, without an object for each. */
const takeChanges = (run: FrameRun, from: number, { beforeUs, seq, canJump, state }: Taking): number => {
  const { columns, count, first } = run;
  const { markets, samples, silenceUs } = state;
  const counts: RebuildCounts = state.counts;
  let [lastUs, lastSeq] = [beforeUs, seq];
  for (let row = from; row < count; row += 1) {
    const at = first + row;
    const us = columns.us[at] ?? 0;
    const next = columns.seq[at] ?? 0;
    if (us < lastUs || us - lastUs > silenceUs || (next !== lastSeq + 1 && !(canJump && next > lastSeq))) return row;
    const market = markets.get(columns.tickers[at] ?? '');
    if (market === undefined || market.certainSinceUs === null || market.claims !== null) return row;
    const sentUs = columns.venueUs[at] ?? NaN;
    run.at = row;
    // NaN differs from each time, as a time that is not known does.
    if (market.venueUs !== sentUs) market.beforeUs = market.us;
    samples.before(market, us);
    if (!market.book.change(columns.isYes[at] === 1 ? 'yes' : 'no', columns.price[at] ?? 0, columns.by[at] ?? 0))
      return row;
    counts.changes += 1;
    samples.after(market, us, Number.isNaN(sentUs) ? null : sentUs, next);
    lastUs = us;
    lastSeq = next;
  }
  return count;
};
