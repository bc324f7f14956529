import { ApiError } from '@almanac/client';
import { useQuery } from '@tanstack/react-query';
import { useAsOf } from '../../api/as-of.js';
import { archiveAt } from '../../api/client.js';
import { dayOf } from '../../format/time.js';
import { type CalendarTarget, groupsMax, groupsOf } from './groups.js';

const seriesMax = 100;
const marketsMax = 200;
const dayS = 86_400;

/** The series that are live or closed last, and how much the archive has in all. */
export const useArchive = () => {
  const asOf = useAsOf();
  return useQuery({
    queryKey: ['home-series', asOf],
    queryFn: ({ signal }) => archiveAt(asOf).series.list({ limit: seriesMax }, { signal }).firstPage(),
  });
};

interface Closes {
  readonly from: number;
  readonly to: number;
}

const useMarketsClosing = (name: string, closes: Closes | undefined) => {
  const asOf = useAsOf();
  return useQuery({
    queryKey: ['home', name, asOf, closes],
    queryFn: async ({ signal }) => {
      const params = { from_ts: closes?.from, to_ts: closes?.to, limit: marketsMax };
      const { markets } = await archiveAt(asOf).markets.list(params, { signal }).firstPage();
      return markets;
    },
    enabled: closes !== undefined,
  });
};

/** What closes next, the soonest first. Undefined bound: nothing is open. */
export const useNextCloses = (now: number, until: number | undefined) => {
  const closes = until === undefined ? undefined : { from: Math.floor(now), to: Math.ceil(until) };
  const query = useMarketsClosing('next', closes);
  return { ...query, groups: query.data && groupsOf(query.data.toReversed()).slice(0, groupsMax) };
};

export const useLastCloses = (now: number, since: number | undefined) => {
  const closes = since === undefined ? undefined : { from: Math.floor(since), to: Math.ceil(now) };
  const query = useMarketsClosing('last', closes);
  return { ...query, groups: query.data && groupsOf(query.data).slice(0, groupsMax) };
};

/** The API compares 10,000 markets at once, which a large archive has in fewer days. */
const daysTried = [31, 7, 1] as const;

/** What is recorded by day, until the last day with a close. */
export const useRecordedDays = (target: CalendarTarget | undefined, endTs: number) => {
  const asOf = useAsOf();
  return useQuery({
    queryKey: ['home-days', asOf, target, dayOf(endTs)],
    queryFn: async ({ signal }) => {
      const { kind, id } = target ?? { kind: 'category', id: '' };
      const read = (days: number) => {
        const range = { from: dayOf(endTs - (days - 1) * dayS), to: dayOf(endTs) };
        const params = { [kind]: id, ...range, by: 'day', sort: 'time', limit: days } as const;
        return archiveAt(asOf).qualityByPeriod(params, { signal }).firstPage();
      };
      for (const days of daysTried.slice(0, -1)) {
        try {
          return await read(days);
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 422) throw error;
        }
      }
      return read(daysTried[daysTried.length - 1] ?? 1);
    },
    enabled: target !== undefined,
  });
};
