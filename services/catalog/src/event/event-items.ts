import { type EventItem, secondsOf } from '@almanac/contracts';
import { z } from 'zod';

const text = z.string().transform((value) => (value === '' ? null : value));

/** A row of `eventsNow`. */
export const eventRowNow = z.object({
  event_ticker: z.string(),
  title: text,
  series: text,
  category: text,
  status: text,
  min_open_us: z.int().nullable(),
  newest_close_us: z.int().nullable(),
  markets_n: z.int(),
  live_n: z.int(),
  strikes_n: z.int(),
});

export const eventColumns = Object.keys(eventRowNow.shape).join(', ');

export const presentEvent = (row: z.output<typeof eventRowNow>): EventItem => ({
  event_ticker: row.event_ticker,
  title: row.title,
  series: row.series,
  category: row.category,
  status: row.status,
  open_ts: secondsOf(row.min_open_us),
  close_ts: secondsOf(row.newest_close_us),
  markets_n: row.markets_n,
  live_n: row.live_n,
  closed_n: row.markets_n - row.live_n,
});
