import { isNameable } from '@almanac/bus';
import { microsOf } from '@almanac/contracts';
import { wordsOf } from './words.js';

/** As every listing takes them; an empty text filters nothing. */
export interface GivenFilters {
  readonly status?: string | null | undefined;
  readonly category?: string | null | undefined;
  readonly q?: string | null | undefined;
  readonly from_ts?: number | null | undefined;
  readonly to_ts?: number | null | undefined;
}

/** SQL over one of the tables as they are now. Values are bound, never written into the text. */
export interface Filters {
  readonly params: Readonly<Record<string, unknown>>;
  /** On `status` and `category`. */
  readonly plain: string;
  /** On `close_us`; undefined when close times are not filtered. */
  readonly window: string | undefined;
  /** Whether the thing is what was asked for, by its id or its words. */
  readonly matches: (id: string) => string;
  /** 1 for the exact id, 0.75 for a prefix of it, 0.5 for words; 1 for all when nothing was asked for. */
  readonly score: (id: string) => string;
}

/** Longer than any title: what a person asks in more characters names nothing, and would not fit into a request line. */
const questionCharactersMax = 500;
const usMax = 9_000_000_000_000_000;

export const filtersOf = (given: GivenFilters, nowUs: number): Filters => {
  const question = given.q?.trim().toWellFormed() ?? '';
  const window = [
    ...(isGiven(given.from_ts) ? ['close_us >= {from_us:Int64}'] : []),
    ...(isGiven(given.to_ts) ? ['close_us <= {to_us:Int64}'] : []),
  ];
  const words = wordsOf(question).map((word) => ` ${word}`);
  return {
    params: {
      now_us: nowUs,
      status: idParam(given.status),
      category: idParam(given.category),
      q: question.length > questionCharactersMax ? '' : question,
      words: question.length > questionCharactersMax ? [] : words,
      from_us: boundOf(given.from_ts),
      to_us: boundOf(given.to_ts),
    },
    plain: `${equals('status', given.status)} AND ${equals('category', given.category)}`,
    window: window.length === 0 ? undefined : window.join(' AND '),
    matches: (id) => {
      if (question === '') return '1';
      return question.length > questionCharactersMax ? '0' : matching(id, words.length > 0);
    },
    score: (id) =>
      question === ''
        ? '1.'
        : `multiIf(lowerUTF8(${id}) = lowerUTF8({q:String}), 1., startsWith(lowerUTF8(${id}), lowerUTF8({q:String})), 0.75, 0.5)`,
  };
};

const isGiven = (ts: number | null | undefined): ts is number => ts !== null && ts !== undefined;

/** A condition on an id or a slug: nothing has one that cannot be a name, however long it is. */
export const equals = (
  column: 'status' | 'category' | 'series' | 'event_ticker',
  value: string | null | undefined,
): string => {
  if (value === null || value === undefined || value === '') return '1';
  return isNameable(value) ? `${column} = {${column}:String}` : '0';
};

/** The value that `equals` binds; parameters travel in the request line, so one that finds nothing stays at home. */
export const idParam = (value: string | null | undefined): string =>
  value !== null && value !== undefined && isNameable(value) ? value : '';

const matching = (id: string, hasWords: boolean): string => {
  const byId = `startsWith(lowerUTF8(${id}), lowerUTF8({q:String}))`;
  return hasWords ? `(${byId} OR arrayAll(word -> position(words, word) > 0, {words:Array(String)}))` : byId;
};

/** Any number is a bound: one beyond all times is as good as the last of them. */
const boundOf = (ts: number | null | undefined): number =>
  isGiven(ts) ? Math.max(-usMax, Math.min(usMax, microsOf(ts))) : 0;
