import { secondsOf, type SeriesItem } from '@almanac/contracts';
import { z } from 'zod';

const text = z.string().transform((value) => (value === '' ? null : value));
const micros = z.int().nullable();

/** A row of `seriesNow`. */
export const seriesRowNow = z.object({
  id: z.string(),
  label: text,
  category: text,
  category_label: text,
  shape: text,
  status: text,
  sample_title: text,
  markets_n: z.int(),
  live_n: z.int(),
  events_n: z.int(),
  next_close_us: micros,
  last_close_us: micros,
  min_open_us: micros,
});

export const seriesColumns = Object.keys(seriesRowNow.shape).join(', ');

export const presentSeries = (row: z.output<typeof seriesRowNow>): SeriesItem => ({
  id: row.id,
  label: row.label ?? row.id,
  category: row.category,
  category_label: row.category_label,
  shape: row.shape,
  markets_n: row.markets_n,
  live_n: row.live_n,
  closed_n: row.markets_n - row.live_n,
  events_n: row.events_n,
  sample_title: row.sample_title,
  next_close_ts: secondsOf(row.next_close_us),
  last_close_ts: secondsOf(row.last_close_us),
  min_open_ts: secondsOf(row.min_open_us),
  status: row.status,
});
