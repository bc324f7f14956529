import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import { readRows } from '../tables/read-rows.js';
import type { ReadableChange } from '../tables/pending-changes.js';
import { isTyped, searchText } from '../tables/search-words.js';
import { lowerOf } from '../tables/text-query.js';
import { backgroundLoad } from '../tables/background-load.js';
import type { SortedWords } from '../words/sorted-words.js';
import { textIndex, type TextIndex } from '../words/text-index.js';

const text = z.string().transform((value) => (value === '' ? null : value));
const micros = z.int().nullable();

const eventNames = z.object({
  event_ticker: z.string(),
  title: text,
  series: text,
  category: text,
  /** Each word follows one blank. */
  words: z.string(),
  seq: z.int(),
});
type EventRow = z.output<typeof eventNames>;

/** An event in memory. Its words are in the index. */
export interface EventNames extends Omit<EventRow, 'words'> {
  /** The ticker in lower case. */
  readonly id: string;
}

/** Marks a series among the words of its events. */
export const seriesMark = '\0';

const eventFigures = z.object({
  event_ticker: z.string(),
  markets_n: z.int(),
  known_n: z.int(),
  close_key: z.int(),
  newest_close_us: micros,
  oldest_close_us: micros,
  computed_us: z.int(),
});
type StoredFigures = z.output<typeof eventFigures>;
export type EventFigures = Omit<StoredFigures, 'event_ticker' | 'computed_us'>;

/** All events, and the figures of those with markets, by id. */
export interface CachedEvents {
  readonly text: TextIndex<EventNames>;
  readonly figures: ReadonlyMap<string, EventFigures>;
}

/** Events in memory: there are some ten thousand for millions of markets. */
export type EventCache = ReturnType<typeof eventCache>;

/** About 700 bytes each. */
const eventsMax = 100_000;
const pageMax = 5_000;
const pageMs = 20_000;
/** The computation of figures times out after 30 s, so no row appears later than that with an older time. */
const overlapUs = 60_000_000;
/** A rebuild of the tables is not reported. */
const reloadMs = 60_000;
/** Reads use at most a fifth of the time. */
const pauseFactor = 4;

const namesSql = `SELECT event_ticker, title, series, category, words, seq FROM events FINAL
  WHERE event_ticker > {after:String} ORDER BY event_ticker LIMIT {page:UInt32}`;
/** Includes outdated rows. The latest computation counts. */
const figuresSql = `SELECT event_ticker, markets_n, known_n, close_key, newest_close_us, oldest_close_us,
    toUnixTimestamp64Micro(computed) AS computed_us
  FROM event_figures WHERE (computed, event_ticker) > (fromUnixTimestamp64Micro({from_us:Int64}), {after:String})
  ORDER BY computed, event_ticker LIMIT {page:UInt32}`;

type Page = <Row extends z.ZodType>(sql: string, params: object, row: Row) => Promise<z.output<Row>[]>;

const pagesOf =
  (clickhouse: ClickHouse, stopping: AbortSignal): Page =>
  (sql, params, row) => {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(pageMs)]);
    return readRows(clickhouse, { sql, params: { ...params, page: pageMax }, signal }, row);
  };

const nameCache = (page: Page) => {
  const names = textIndex<EventNames>({
    textOf: ({ event_ticker: id, title, category }) => `${searchText({ id, title, texts: [category] })} `,
    isTyped: (word) => isTyped(word) && !word.startsWith(seriesMark),
  });
  const put = ({ words, ...row }: EventRow): void => {
    if ((names.get(row.event_ticker)?.seq ?? -1) >= row.seq) return;
    const ofSeries = row.series === null ? [] : [`${seriesMark}${row.series}`];
    names.put(row.event_ticker, { ...row, id: lowerOf(row.event_ticker) }, [
      ...words.split(' ').filter((word) => word !== ''),
      ...ofSeries,
    ]);
  };
  const read = async (): Promise<void> => {
    for (let after: string | undefined = ''; after !== undefined && names.size <= eventsMax;) {
      const rows: EventRow[] = await page(namesSql, { after }, eventNames);
      for (const row of rows) put(row);
      after = rows.length < pageMax ? undefined : rows.at(-1)?.event_ticker;
    }
  };
  return { names, put, read };
};

const figureCache = (page: Page) => {
  const figures = new Map<string, StoredFigures>();
  let newestUs = 0;
  const put = (row: StoredFigures): void => {
    if ((figures.get(row.event_ticker)?.computed_us ?? -1) <= row.computed_us) figures.set(row.event_ticker, row);
    newestUs = Math.max(newestUs, row.computed_us);
  };
  /** Reads rows computed since the last read, with an overlap. */
  const read = async (): Promise<void> => {
    let from: { us: number; id: string } | undefined = { us: Math.max(0, newestUs - overlapUs), id: '' };
    while (from !== undefined && figures.size <= eventsMax) {
      const rows: StoredFigures[] = await page(figuresSql, { from_us: from.us, after: from.id }, eventFigures);
      for (const row of rows) put(row);
      const last = rows.length < pageMax ? undefined : rows.at(-1);
      from = last && { us: last.computed_us, id: last.event_ticker };
    }
  };
  return { figures, read };
};

/** Reads again if the data is stale and the pause is over, or at once if a change must be visible. */
const refreshWhenStale = (read: () => Promise<void>) => {
  let isStale = false;
  let isUrgent = false;
  let readAt = 0;
  let restsUntil = 0;
  let reading: Promise<void> | undefined;
  const readOnce = async (): Promise<void> => {
    const startedAt = performance.now();
    [isStale, isUrgent] = [false, false];
    try {
      await read();
    } catch (error) {
      isStale = true;
      throw error;
    } finally {
      readAt = performance.now();
      restsUntil = readAt + pauseFactor * (readAt - startedAt);
    }
  };
  const now = (): Promise<void> => (reading ??= readOnce().finally(() => (reading = undefined)));
  return {
    now,
    current: async (): Promise<void> => {
      // A read in progress may have started before the change.
      if (isUrgent) await reading;
      const at = performance.now();
      if (isUrgent || (at > restsUntil && (isStale || at > readAt + reloadMs))) await now();
    },
    changed: () => {
      isStale = true;
    },
    mustBeSeen: () => {
      isUrgent ||= isStale;
    },
  };
};

export const eventCache = (clickhouse: ClickHouse, log: { error(facts: object, message: string): void }) => {
  const stopping = new AbortController();
  const page = pagesOf(clickhouse, stopping.signal);
  const { names, put, read: readNames } = nameCache(page);
  const { figures, read: readFigures } = figureCache(page);
  const latest = refreshWhenStale(readFigures);
  const isBounded = (): boolean => {
    if (names.size <= eventsMax && figures.size <= eventsMax) return true;
    names.clear();
    figures.clear();
    return false;
  };
  const reading = backgroundLoad(async () => {
    await readNames();
    await latest.now();
    return isBounded();
  }, log);
  return {
    /** The words of all events. Undefined if they are not in memory. */
    words: (): SortedWords | undefined => (reading.isLoaded() ? names.words : undefined),
    /** The events with all reported changes. Undefined if the tables must be queried. */
    current: async (): Promise<CachedEvents | undefined> => {
      if (!reading.isLoaded()) return undefined;
      await latest.current();
      if (isBounded()) return { text: names, figures };
      reading.abandon();
      return undefined;
    },
    applyEvent: (event: z.input<typeof eventNames>) => {
      if (!reading.isTooLarge) put(eventNames.parse(event));
    },
    changed: ({ all }: ReadableChange) => {
      latest.changed();
      if (all) reading.read();
    },
    read: () => reading.read(),
    /** The next query includes all reported changes, however long the read takes. */
    requireRefresh: () => latest.mustBeSeen(),
    stop: () => {
      stopping.abort();
      reading.stop();
    },
  };
};
