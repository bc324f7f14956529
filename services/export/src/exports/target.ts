import { DomainError, type ExportQuery } from '@almanac/contracts';

/** The target of an export: one event, one market's ticker, or a series with a UTC day. The other fields are null. */
export type Target = Pick<ExportQuery, 'event' | 'ticker' | 'series' | 'day'>;

type TargetInput = { readonly [Field in keyof Target]?: string | null | undefined };

const hint = 'Send exactly one of: event, ticker, or series with day.';

/**
 * Accepts exactly one target, because a purchase must never be guessed. An empty string counts as absent. Throws
 * `missing_target`, `ambiguous_target`, or `invalid_input` for a day that is not a calendar date.
 */
export const targetOf = (input: TargetInput): Target => {
  const target = {
    event: input.event || null,
    ticker: input.ticker || null,
    series: input.series || null,
    day: input.day || null,
  };
  const pack = target.series !== null || target.day !== null;
  const targets = [target.event !== null, target.ticker !== null, pack].filter(Boolean).length;
  if (targets > 1) throw new DomainError('ambiguous_target', `The request has more than one export target. ${hint}`);
  if (targets === 0) throw new DomainError('missing_target', `The request has no export target. ${hint}`);
  if (pack && target.series === null)
    throw new DomainError('missing_target', `The request has a day but no series. ${hint}`);
  if (pack && target.day === null)
    throw new DomainError('missing_target', `The request has a series but no day. ${hint}`);
  if (target.day !== null) dayStartUs(target.day);
  return target;
};

/** Start of a UTC day written as YYYY-MM-DD, in microseconds. */
export const dayStartUs = (day: string): number => {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== day) {
    throw new DomainError('invalid_input', 'day must be a calendar date in the form YYYY-MM-DD.');
  }
  return start * 1_000;
};

/** The target of a resolved export query, which also names the event of a market and the series of a day pack. */
export const targetOfQuery = (exportQuery: Target): Target => {
  const { event, ticker, series, day } = exportQuery;
  const noTarget = { event: null, ticker: null, series: null, day: null };
  if (day !== null) return { ...noTarget, series, day };
  return ticker === null ? { ...noTarget, event } : { ...noTarget, ticker };
};
