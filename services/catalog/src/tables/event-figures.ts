import { type ClickHouse, command, rows } from '@almanac/clickhouse';
import { z } from 'zod';

const columns =
  'event_ticker, series, markets_n, known_n, strikes_n, close_key, newest_close_us, oldest_close_us, open_us, computed' as const;

/**
 * Parameters are part of the request line, which is limited to a mebibyte. Names go in groups of this many bytes, and
 * percent-encoding may triple them.
 */
const groupBytesMax = 100_000;

const oldEvent = z.object({ ticker: z.string(), event_ticker: z.string() });

/** The inputs of an event's figures: each market once, in its newest state. */
const figures = `SELECT event_ticker, argMax(series, seq) AS series, count() AS markets_n, countIf(known) AS known_n,
    countIf(isNotNull(floor_strike)) AS strikes_n, max(close_key) AS close_key, max(close_us) AS newest_close_us,
    min(close_us) AS oldest_close_us, min(open_us) AS open_us`;

/** SQL that computes the figures of all events of a markets table and inserts them into another table. */
export const allFiguresSql = ({ from, into }: { from: string; into: string }): string =>
  `INSERT INTO ${into} (${columns}) ${figures}, now64(6) FROM ${from} FINAL WHERE event_ticker != '' GROUP BY event_ticker`;

/** The stored events of these markets, one group of tickers. A merge leaves only a market's latest event. */
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
 * Computes and stores the figures of these events from the stored markets. An event without markets gets zeros.
 * `without` excludes markets from all of the events; they must fit into one group.
 *
 * The version is the server's time before the markets are read. Of two concurrent computations, the later one
 * therefore includes both inserts, and wins.
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
          WHERE ticker IN (SELECT ticker FROM markets_by_close WHERE event_ticker IN {events:Array(String)})
            AND event_ticker IN {events:Array(String)} AND ticker NOT IN {without:Array(String)}
          GROUP BY event_ticker
        ) AS found USING (event_ticker)`,
      params: { events: group, without },
      settings: { max_threads: 1 },
    });
  }
};

/** Groups in order, each as large as one statement allows. */
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
