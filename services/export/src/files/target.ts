import { dayStartUs, dayUs, DomainError, type ExportQuery } from '@almanac/contracts';

/**
 * The target of an export: one event, one market's ticker, a list of either, or a series with a UTC day or a range of
 * days. Among the first four, the other fields are null. Range and lists exist only if they are the target.
 */
export type Target = Pick<ExportQuery, 'event' | 'ticker' | 'series' | 'day' | 'from' | 'to' | 'events' | 'tickers'>;

type TargetInput = {
  readonly [Field in Exclude<keyof Target, 'events' | 'tickers'>]?: string | null | undefined;
} & { readonly [Field in 'events' | 'tickers']?: readonly string[] | null | undefined };

const hint =
  'Send exactly one of: event, ticker, events, tickers, dataset, series with day, or series with from and to.';

/**
 * Accepts exactly one target, because a purchase must never be guessed. An empty string counts as absent. Equal targets
 * get one form: a range of one day is that day, and a list of one is that event or market. Throws `missing_target`,
 * `ambiguous_target`, or `invalid_input` for a day that is not a calendar date.
 */
export const targetOf = (input: TargetInput): Target => {
  const { event, ticker, events, tickers } = input;
  const none = { event: null, ticker: null, series: null, day: null };
  const days = input.series || input.day || input.from || input.to;
  const targets = [event, ticker, events, tickers, days].filter(Boolean).length;
  if (targets > 1) throw new DomainError('ambiguous_target', `The request has more than one export target. ${hint}`);
  if (days) return { ...none, ...daysOf(input) };
  if (event) return { ...none, event };
  if (ticker) return { ...none, ticker };
  if (events)
    return {
      ...none,
      ...listOf(
        events,
        (one) => ({ event: one }),
        (all) => ({ events: all }),
      ),
    };
  if (tickers)
    return {
      ...none,
      ...listOf(
        tickers,
        (one) => ({ ticker: one }),
        (all) => ({ tickers: all }),
      ),
    };
  throw new DomainError('missing_target', `The request has no export target. ${hint}`);
};

const listOf = <One, All>(values: readonly string[], one: (value: string) => One, all: (values: string[]) => All) => {
  const [first = '', ...others] = [...new Set(values)].toSorted();
  return others.length === 0 ? one(first) : all([first, ...others]);
};

const daysOf = ({ series, day, from, to }: TargetInput): Pick<Target, 'series' | 'day' | 'from' | 'to'> => {
  const missing = (what: string) => new DomainError('missing_target', `The request has ${what}. ${hint}`);
  if (day && (from || to))
    throw new DomainError('ambiguous_target', `The request has a day and a range of days. ${hint}`);
  if (!series) throw missing('a day but no series');
  if (!day && !from && !to) throw missing('a series but no day');
  if (!day && !(from && to)) throw missing(from ? 'from but not to' : 'to but not from');
  const [first, last] = [day || from || '', day || to || ''];
  if (dayStartUs(last) < dayStartUs(first)) throw new DomainError('invalid_input', 'to must not be before from.');
  return first === last ? { series, day: first } : { series, day: null, from: first, to: last };
};

/** The time that a day pack or a range covers, from its start to before its end, or null for other targets. */
export const windowOf = ({ day, from, to }: Pick<Target, 'day' | 'from' | 'to'>) => {
  const [first, last] = [day ?? from, day ?? to];
  return first && last ? { from_us: dayStartUs(first), to_us: dayStartUs(last) + dayUs } : null;
};

/** The target of a resolved export query, which also names the event of a market and the series of an event. */
export const targetOfQuery = (exportQuery: Target): Target => {
  const { event, ticker, series, day, from, to, events, tickers } = exportQuery;
  const noTarget = { event: null, ticker: null, series: null, day: null };
  if (from !== undefined && to !== undefined) return { ...noTarget, series, from, to };
  if (day !== null) return { ...noTarget, series, day };
  if (events !== undefined) return { ...noTarget, events };
  if (tickers !== undefined) return { ...noTarget, tickers };
  return ticker === null ? { ...noTarget, event } : { ...noTarget, ticker };
};
