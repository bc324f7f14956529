import { z } from 'zod';

/** Comparing sums of bid and ask is exact. A row with only one side has no mid. */
const midSum = 'yes_best_bid + yes_best_ask';

/** One row. Params: ticker, start_us, end_us (the window), close_us and received_us (or later than any row). */
export const statsSql = `SELECT
  count() AS prints, min(us) AS first_us, max(us) AS last_us, max(has_book) = 1 AS has_l2,
  countIf(inside) AS matched, minIf(us, inside) AS inside_first_us, maxIf(us, inside) AS inside_last_us,
  minIf(us, yes_best_bid > 0 AND yes_best_ask < 1) AS two_sided_us,
  maxIf(us, isNotNull(mid) AND open) AS last_mid_us,
  maxIf(us, mid < 1.96 AND open) AS last_not_up_us, maxIf(us, mid > 0.04 AND open) AS last_not_down_us
FROM (
  SELECT toUnixTimestamp64Micro(ts) AS us, yes_best_bid, yes_best_ask, ${midSum} AS mid, has_book,
    us >= {start_us:Int64} AND us < {end_us:Int64} AS inside, us <= {close_us:Int64} AS open
  FROM snapshots FINAL WHERE ticker = {ticker:String} AND ts < fromUnixTimestamp64Micro({received_us:Int64})
) SETTINGS max_threads = 1, output_format_json_quote_64bit_integers = 0`;

export const previewStats = z.object({
  prints: z.int(),
  first_us: z.int(),
  last_us: z.int(),
  has_l2: z.union([z.boolean(), z.int().transform((flag) => flag === 1)]),
  matched: z.int(),
  inside_first_us: z.int(),
  inside_last_us: z.int(),
  two_sided_us: z.int(),
  last_mid_us: z.int(),
  last_not_up_us: z.int(),
  last_not_down_us: z.int(),
});
export type PreviewStats = z.output<typeof previewStats>;

/** The first row with a mid after `after_us`, the last open row. Params: ticker, after_us, received_us. */
export const lockedSql = `SELECT toUnixTimestamp64Micro(min(ts)) AS locked_us FROM snapshots FINAL
WHERE ticker = {ticker:String} AND ts > fromUnixTimestamp64Micro({after_us:Int64})
  AND ts < fromUnixTimestamp64Micro({received_us:Int64})
  AND isNotNull(${midSum}) SETTINGS max_threads = 1, output_format_json_quote_64bit_integers = 0`;

export const locked = z.object({ locked_us: z.int() });
