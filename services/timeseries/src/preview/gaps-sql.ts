import { gapsOf } from '@almanac/clickhouse';
import { secondsOf } from '@almanac/contracts';
import { z } from 'zod';

const shownMax = 1_000;

/** The last gaps of a market, oldest first. Params: ticker, end_us (of the window). */
export const gapsSql = `SELECT start_us, until_us, reason, gaps_n, gap_us FROM (
  SELECT *, count() OVER () AS gaps_n, sum(greatest(ifNull(until_us, {end_us:Int64}) - start_us, 0)) OVER () AS gap_us
  FROM ${gapsOf('ticker = {ticker:String}')} ORDER BY start_us DESC LIMIT ${shownMax}
) ORDER BY start_us SETTINGS max_threads = 1, output_format_json_quote_64bit_integers = 0`;

export const storedGap = z.object({
  start_us: z.int(),
  until_us: z.int().nullable(),
  reason: z.string(),
  gaps_n: z.int(),
  gap_us: z.int(),
});

export const gapFields = (gaps: readonly z.output<typeof storedGap>[]) => ({
  gaps: gaps.map(({ start_us, until_us, reason }) => ({
    start_ts: secondsOf(start_us),
    end_ts: secondsOf(until_us),
    reason,
  })),
  gaps_n: gaps[0]?.gaps_n ?? 0,
  gap_s: secondsOf(gaps[0]?.gap_us ?? 0),
});
