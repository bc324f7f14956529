/**
 * A subquery for the gaps of some markets, with the columns `ticker`, `start_us`, `until_us` and `reason`. `where` is
 * a condition on `ticker`. A gap without an end comes from a recorder that stopped. It ends at the next stored book;
 * `until_us` is null if there is none.
 */
export const gapsOf = (where: string): string => {
  const open = `SELECT ticker, start_us FROM gaps FINAL WHERE (${where}) AND isNull(end_us)`;
  return `(
  SELECT found.ticker AS ticker, found.start_us AS start_us, found.reason AS reason,
    nullIf(ifNull(found.end_us, ends.next_us), 0) AS until_us
  FROM (SELECT * FROM gaps FINAL WHERE ${where}) AS found
  LEFT JOIN (
    SELECT books.ticker AS ticker, open.start_us AS start_us, min(books.at_us) AS next_us
    FROM (
      SELECT ticker, toUnixTimestamp64Micro(ts) AS at_us FROM snapshots FINAL
      WHERE has_book AND ticker IN (SELECT ticker FROM (${open}))
    ) AS books INNER JOIN (${open}) AS open ON books.ticker = open.ticker
    WHERE books.at_us > open.start_us GROUP BY ticker, start_us
  ) AS ends ON found.ticker = ends.ticker AND found.start_us = ends.start_us
)`;
};
