import { type DatedField, historyLimits, type MarketState, mapNames, versionsOf } from '@almanac/contracts';
import { readableSeries } from '../words/readable-names.js';
import { withoutAccents } from '../words/word-forms.js';
import { type SearchableEntity, searchWordsOf } from './search-words.js';

/** The dated fields that a market's row has as of a time. Rules, price steps and the settlement value are only in its detail. */
const datedTexts = ['title', 'venue_status', 'result', 'floor_strike', 'coin_price_start', 'expiration_value'] as const;
const datedTimes = ['open_us', 'close_us', 'settlement_us'] as const;

const columnOf = <Name extends string>(name: Name) => `${name}_versions` as const;

/** Columns of `markets` that only reads as of a time use, in insert order. */
export const pastColumns = [
  'listed_us',
  ...[...datedTexts, ...datedTimes, 'words' as const].map(columnOf),
  'event_words',
  'series_words',
] as const;

/** A value and from when it counts. Null: it was taken back, or of too many values the earliest are stored, so this one may not be the last. */
type Version<Value> = readonly [us: number, value: Value | null];

const datedVersions = ({ history }: Pick<MarketState, 'history'>, field: DatedField): Version<string>[] => {
  const { versions: max } = historyLimits(field);
  const dated = versionsOf(history, field).filter(({ known_us }) => known_us !== null);
  return dated.map(({ known_us, value }, index) => [known_us ?? 0, index < max - 1 && value !== '' ? value : null]);
};

/** The words, and those with accents also without them: no list of words tells which ones existed at a time. */
const textOf = (entity: SearchableEntity): string => {
  const words = searchWordsOf(entity);
  return [...new Set([...words, ...words.map(withoutAccents)])].map((word) => ` ${word}`).join('');
};

/** A text that is no number must not stop the read model. */
const wholeOf = (value: string | null): number | null =>
  value === null || !Number.isSafeInteger(Number(value)) ? null : Number(value);

/** The row's values for reads as of a time (`marketsAsOf` of libs/clickhouse). */
export const pastValues = (state: MarketState) => {
  const { ticker, series, event_ticker: event, category, category_label: label, history } = state;
  const times = history.flatMap(({ known_us: us }) => us ?? []);
  const listedUs = times.length === 0 ? null : Math.min(...times);
  const texts = mapNames(datedTexts.map(columnOf), () => [] as Version<string>[]);
  for (const field of datedTexts) texts[columnOf(field)] = datedVersions(state, field);
  const seconds = mapNames(datedTimes.map(columnOf), () => [] as Version<number>[]);
  for (const field of datedTimes) {
    seconds[columnOf(field)] = datedVersions(state, field).map(([us, value]) => [us, wholeOf(value)]);
  }
  const words = (title: string | null): string => textOf({ id: ticker, title, texts: [label, category] });
  const titles: Version<string>[] = listedUs === null ? [] : [[listedUs, null], ...texts.title_versions];
  return {
    listed_us: listedUs,
    ...texts,
    ...seconds,
    words_versions: titles.map(([us, title]) => [us, words(title)] as const),
    event_words: event === null ? '' : textOf({ id: event, title: null, texts: [category] }),
    series_words:
      series === null ? '' : textOf({ id: series, title: readableSeries(series), texts: [label, category] }),
  };
};
