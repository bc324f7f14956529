import { type ClickHouse, command, rows } from '@almanac/clickhouse';
import { z } from 'zod';

const columns =
  'event_ticker, series, markets_n, known_n, strikes_n, close_key, newest_close_us, oldest_close_us, open_us, computed' as const;

/**
 * Parameters travel in the request line, which holds a mebibyte: names go in groups of so many bytes, of which
 * percent-encoding may make three.
 */
const groupBytesMax = 100_000;

const oldEvent = z.object({ ticker: z.string(), event_ticker: z.string() });

/** What an event's figures are made of: each market once, as its newest event says. */
const figures = `SELECT event_ticker, argMax(series, seq) AS series, count() AS markets_n, countIf(known) AS known_n,
    countIf(isNotNull(floor_strike)) AS strikes_n, max(close_key) AS close_key, max(close_us) AS newest_close_us,
    min(close_us) AS oldest_close_us, min(open_us) AS open_us`;

/** The statement that computes the figures of all events of a table of markets, into another table. */
export const allFiguresSql = ({ from, into }: { from: string; into: string }): string =>
  `INSERT INTO ${into} (${columns}) ${figures}, now64(6) FROM ${from} FINAL WHERE event_ticker != '' GROUP BY event_ticker`;

/** The events that are stored with these markets, one group: what is merged already tells only the last of each. */
export const storedEventsOf = (
  clickhouse: ClickHouse,
  tickers: readonly string[],
): Promise<z.output<typeof oldEvent>[]> =>
  rows<z.output<typeof oldEvent>>(
    clickhouse,
    {
      sql: `SELECT DISTINCT ticker, event_ticker FROM markets
        WHERE ticker IN {tickers:Array(String)} AND event_ticker != ''`,
      params: { tickers },
      settings: { max_threads: 1 },
    },
    oldEvent,
  );

/**
 * Computes the figures of these events from the markets that are stored, and stores them; an event that has no markets
 * any more has zeros. `without` leaves markets out, as if they were in none of the events; they are one group.
 *
 * The version is the server's clock before the markets are read, so of two processes that compute at once the later
 * saw what both had inserted, and wins.
 */
export const storeEventFigures = async (
  clickhouse: ClickHouse,
  { events, without = [] }: { events: Iterable<string>; without?: readonly string[] },
): Promise<void> => {
  for (const group of inGroups(events, (event) => event)) {
    await command(clickhouse, {
      sql: `INSERT INTO event_figures (${columns})
        SELECT event_ticker, series, markets_n, known_n, strikes_n, if(markets_n = 0, -1, close_key), newest_close_us,
          oldest_close_us, open_us, now64(6)
        FROM (SELECT arrayJoin({events:Array(String)}) AS event_ticker) AS named
        ANY LEFT JOIN (
          ${figures} FROM markets FINAL
          WHERE ticker IN (SELECT ticker FROM markets WHERE event_ticker IN {events:Array(String)})
            AND event_ticker IN {events:Array(String)} AND ticker NOT IN {without:Array(String)}
          GROUP BY event_ticker
        ) AS found USING (event_ticker)`,
      params: { events: group, without },
      settings: { max_threads: 1 },
    });
  }
};

/** In order, as many together as one statement can name. */
export function* inGroups<T>(items: Iterable<T>, nameOf: (item: T) => string): Generator<T[]> {
  let group: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = Buffer.byteLength(nameOf(item));
    if (bytes + size > groupBytesMax && group.length > 0) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(item);
    bytes += size;
  }
  if (group.length > 0) yield group;
}
