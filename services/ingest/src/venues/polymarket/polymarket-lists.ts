import { z } from 'zod';
import { listOf, textOf } from '../../sources/record-fields.js';
import { readTime } from '../../values/time.js';
import { fetchVenueJson } from '../fetch-venue-json.js';
import type { ListedMarket, VenueLists } from '../venue-feed.js';

/** The fields used here. The rest passes through unchanged. */
const market = z.looseObject({
  slug: z.string().min(1),
  clobTokenIds: z.unknown(),
  startDate: z.string().nullish(),
  endDate: z.string().nullish(),
  umaResolutionStatus: z.string().nullish(),
});
const markets = z.array(market);
const series = z.array(z.object({ id: z.coerce.string() }));
const event = z.looseObject({ slug: z.string(), markets: markets.default([]) });
const events = z.object({
  events: z.array(event),
  next_cursor: z.string().nullish(),
});

/** `btc-updown-5m`: consecutive windows, each a market whose slug ends with its first second. */
const rolling = /-updown-(\d+)([mh])$/;
const secondsOf = { m: 60, h: 3_600 } as const;
/** The open window and the next one, which trades before it opens. */
const windowsAhead = 2;
const pagesMax = 20;

/** Polymarket's gamma API. The clock gives the slugs of a series of windows. Other series list their open events. */
export const polymarketLists = (url: string, id: string, nowMs: () => number = Date.now): VenueLists => {
  const bySlug = async (slugs: readonly string[]): Promise<readonly ListedMarket[]> => {
    const found: ListedMarket[] = [];
    // The venue leaves closed markets out unless only they are requested.
    for (const closed of slugs.length === 0 ? [] : ['false', 'true']) {
      const query = new URLSearchParams({ closed });
      for (const slug of slugs) query.append('slug', slug);
      found.push(...listed(markets.parse(await fetchVenueJson(`${url}/markets`, query))));
    }
    return found;
  };
  const ofSeries = async (): Promise<readonly ListedMarket[]> => {
    const [found] = series.parse(await fetchVenueJson(`${url}/series`, new URLSearchParams({ slug: id })));
    if (!found) throw new Error(`The venue has no series ${id}.`);
    const open: ListedMarket[] = [];
    let cursor = '';
    for (let pages = 0; pages < pagesMax; pages += 1) {
      const query = {
        series_id: found.id,
        closed: 'false',
        limit: '100',
        ...(cursor !== '' && { after_cursor: cursor }),
      };
      const page = events.parse(await fetchVenueJson(`${url}/events/keyset`, new URLSearchParams(query)));
      open.push(...page.events.flatMap(ofEvent));
      cursor = page.next_cursor ?? '';
      if (cursor === '') return open.filter(({ isSettled }) => !isSettled);
    }
    throw new Error(`more than ${pagesMax} pages of events. Choose a narrower series.`);
  };
  return {
    open: async () => {
      const windows = windowsOf(id, nowMs());
      return windows === null ? ofSeries() : (await bySlug(windows)).filter(({ isSettled }) => !isSettled);
    },
    of: bySlug,
  };
};

const windowsOf = (id: string, nowMs: number): readonly string[] | null => {
  const [, count, unit] = rolling.exec(id) ?? [];
  if (unit !== 'm' && unit !== 'h') return null;
  const span = Number(count) * secondsOf[unit];
  const windowStart = Math.floor(nowMs / 1000 / span) * span;
  return Array.from({ length: windowsAhead }, (_, ahead) => `${id}-${windowStart + ahead * span}`);
};

/** Markets inside an event do not name it, unlike elsewhere. */
const ofEvent = ({ markets: inside, ...eventFields }: z.infer<typeof event>): readonly ListedMarket[] =>
  listed(inside.map((record) => ({ ...record, events: [eventFields] })));

/** A market without two tokens has no book. */
const listed = (found: z.infer<typeof markets>): readonly ListedMarket[] =>
  found.flatMap((record) => {
    const [yes, no] = (listOf(record.clobTokenIds) ?? []).map(textOf);
    if (typeof yes !== 'string' || typeof no !== 'string') return [];
    return {
      ticker: record.slug,
      feedId: yes,
      openUs: readTime(record.startDate ?? '', 'iso'),
      closeUs: readTime(record.endDate ?? '', 'iso'),
      isSettled: record.umaResolutionStatus === 'resolved',
      text: JSON.stringify(record),
    };
  });
