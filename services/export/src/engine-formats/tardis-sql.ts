import type { ExportQuery } from '@almanac/contracts';
import type { Selection } from '../files/file-selection.js';
import { bookChanges, levelOf } from './book-changes-sql.js';

/**
 * The rows of a file in the columns of Tardis.dev (https://docs.tardis.dev/downloadable-csv-files): of
 * `incremental_book_L2` for the stream `l2`, otherwise of `trades`. `n` orders the rows of one message.
 */
export const tardisRows = ({ streams }: Pick<ExportQuery, 'streams'>, selection: Selection): string =>
  streams.includes('l2') ? bookRows(selection) : tradeRows(selection);

const change = levelOf('change');

/** The first row of a whole book discards what the reader knows of the market. */
const bookRows = (selection: Selection): string => `
SELECT market, at, venue_at, n, if(${change.isAsk}, 'ask', 'bid') AS side, ${change.price} AS price, ${change.size} AS amount,
  CAST(is_whole AS Bool) AS is_snapshot
FROM (${bookChanges(selection)})
ARRAY JOIN changes AS change, arrayEnumerate(changes) AS n`;

const tradeRows = ({ trades }: Selection): string => `
SELECT ticker AS market, ts AS at, venue_ts AS venue_at, 1 AS n, trade_id AS id,
  multiIf(taker_side = 'yes', 'buy', taker_side = 'no', 'sell', 'unknown') AS side, price, size AS amount
FROM trades FINAL WHERE ${trades}`;

/** By time over all markets, as Tardis orders a file of several symbols. */
export const tardisFile = ({ streams, numbers }: ExportQuery, rows: string): string => {
  const number = (column: string) => (numbers === 'decimal' ? column : `toFloat64(${column})`);
  const columns = [
    "'almanac' AS exchange",
    'market AS symbol',
    'toUnixTimestamp64Micro(ifNull(venue_at, at)) AS timestamp',
    'toUnixTimestamp64Micro(at) AS local_timestamp',
    streams.includes('l2') ? 'is_snapshot' : 'id',
    'side',
    `${number('rows.price')} AS price`,
    `${number('rows.amount')} AS amount`,
  ];
  const order = streams.includes('l2') ? 'at, market, n' : 'at, market, id';
  return `SELECT ${columns.join(', ')} FROM (${rows}) AS rows ORDER BY ${order}`;
};
