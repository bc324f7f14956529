import { isValidId, subjects } from '@almanac/bus';
import { asOfField, notFound, presentMarketAt, type ReadTime } from '@almanac/contracts';
import { pastEvents } from '../event/past-events.js';
import type { CatalogueSources } from '../market/markets.js';
import { pastMarkets } from '../market/past-markets.js';
import { anyPastMatch, pastVocabulary } from '../tables/past-scores.js';
import { allOf, filtersOf, marketCondition } from '../tables/filters.js';
import { nextOffset, pageOf } from '../tables/pages.js';
import { parseTextQuery } from '../tables/text-query.js';
import { pastFigures } from './past-figures.js';
import type { SeriesDetail, SeriesDetailInput } from './series-detail.query.js';
import { countedSeries, presentSeries } from './series-items.js';

interface PastSeries {
  readonly sources: Pick<CatalogueSources, 'clickhouse' | 'series'>;
  readonly time: ReadTime;
  readonly signal: AbortSignal;
}

/**
 * GET /series/{id} with `as_of`: what follows from its markets that were listed by then. Its own label has no knowledge time.
 * Throws `series_not_found`.
 */
export const pastSeriesDetail = async (
  { sources, time, signal }: PastSeries,
  input: SeriesDetailInput,
): Promise<SeriesDetail> => {
  const { series_id: id, offset, event_offset } = input;
  if (!isValidId(id)) throw notFound('series_not_found', id);
  const past = { clickhouse: sources.clickhouse, asOfUs: time.nowUs, signal };
  const parent = { column: 'series', id } as const;
  const { now, series } = await pastFigures(past, sources.series, parent);
  const state = series.states.get(subjects.series(id));
  if (state === undefined) throw notFound('series_not_found', id);
  const filters = filtersOf(input);
  const textQuery = parseTextQuery(input.q, pastVocabulary);
  const listing = filters && textQuery !== undefined ? { parent, filters, textQuery } : undefined;
  const limit = input.limit + 1;
  const [markets, events] = await Promise.all([
    listing
      ? pastMarkets(past, {
          parent,
          condition: allOf(marketCondition(listing.filters, time.nowUs), anyPastMatch(listing.textQuery)),
          page: { limit, offset },
        })
      : [],
    state.shape === 'rolling'
      ? undefined
      : listing
        ? pastEvents(past, { ...listing, page: { limit, offset: event_offset } })
        : [],
  ]);
  const { items, has_more } = pageOf(markets, input.limit);
  const eventPage = events && pageOf(events, input.limit);
  return {
    series: presentSeries(countedSeries(state, now)),
    label_source: 'almanac',
    count: items.length,
    markets: items.map(({ row }) => presentMarketAt(row, state.shape, time)),
    has_more,
    next_offset: nextOffset(offset, items.length, has_more),
    ...(eventPage && {
      events: eventPage.items.map(({ event }) => event),
      events_has_more: eventPage.has_more,
      next_event_offset: nextOffset(event_offset, eventPage.items.length, eventPage.has_more),
    }),
    ...asOfField(time.asOfUs),
  };
};
