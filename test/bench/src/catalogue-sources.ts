import { subjects } from '@almanac/bus';
import { type ClickHouse, rows } from '@almanac/clickhouse';
import { type SeriesState, seriesState } from '@almanac/contracts';
import { unixMicros } from '@almanac/runtime';
import { z } from 'zod';
import { eventCache } from '../../../services/catalog/dist/event/event-cache.js';
import { figuresStore } from '../../../services/catalog/dist/series/figures-store.js';
import { seriesFigures } from '../../../services/catalog/dist/series/series-figures.js';
import { putSeries, seriesText } from '../../../services/catalog/dist/tables/series-text.js';
import { seriesWords } from '../../../services/catalog/dist/tables/series-words.js';
import { wordCache } from '../../../services/catalog/dist/tables/word-cache.js';
import { vocabularyOf } from '../../../services/catalog/dist/words/vocabulary.js';
import { awaitNoReason } from './concurrent.js';

const loadMsMax = 1_800_000;
const seriesRow = z.object({ state: z.string() });

/** What the queries of the catalog service read from, of tables that do not change: everything that it has in memory, loaded. */
export const catalogueSources = async (clickhouse: ClickHouse) => {
  const failures: string[] = [];
  const log = { error: (_facts: object, message: string) => failures.push(message) };
  const text = seriesText();
  const states = new Map<string, SeriesState>();
  for (const { state } of await rows(clickhouse, { sql: 'SELECT state FROM series FINAL' }, seriesRow)) {
    const series = seriesState.parse(JSON.parse(state));
    states.set(subjects.series(series.id), series);
    putSeries(text, series);
  }
  const [events, words, wordsBySeries] = [
    eventCache(clickhouse, log),
    wordCache(clickhouse, log),
    seriesWords(clickhouse, log),
  ];
  for (const cache of [events, words, wordsBySeries]) cache.read();
  const isLoaded = async (): Promise<boolean> =>
    (await events.current()) !== undefined &&
    words.current() !== undefined &&
    !wordsBySeries.mayHave('a series that does not exist', 'word');
  await awaitNoReason(
    async () => ((await isLoaded()) ? undefined : `the catalogue is not in memory: ${failures.join()}`),
    {
      pollMs: 200,
      mostMs: loadMsMax,
      signal: AbortSignal.timeout(loadMsMax),
    },
  );
  const figures = seriesFigures(figuresStore(clickhouse), log);
  const now = await figures.current(unixMicros());
  const vocabulary = vocabularyOf(() => [words.current(), events.words(), text.words]);
  return { clickhouse, series: { states, text }, words, wordsBySeries, vocabulary, events, figures, now };
};

export type CatalogueSources = Awaited<ReturnType<typeof catalogueSources>>;
