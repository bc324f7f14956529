import { createHash } from 'node:crypto';
import { type Bus, isValidId, lastEvent, subjects } from '@almanac/bus';
import { archiveState, type ExportQuery, exportStreams, marketState, statusOf } from '@almanac/contracts';
import { forEachConcurrent } from '@almanac/runtime';

/** Version of the file contents for the same query and data: columns, their types, their format. */
export const fileSchema = 1;

/** The query in a normal form: streams in one order, and no `snapshots` beside others that include its columns. */
export const fileQueryOf = (exportQuery: ExportQuery): ExportQuery => {
  const streams = exportStreams.filter((stream) => exportQuery.streams.includes(stream));
  const isIncluded = streams.includes('l2') || streams.includes('sizes');
  return { ...exportQuery, streams: isIncluded ? streams.filter((stream) => stream !== 'snapshots') : streams };
};

/** A market's part of the file key. `live` is included because a status in the file can change without any event. */
export interface MarketVersion {
  readonly ticker: string;
  readonly version: number;
  readonly live: boolean;
}

/** SHA-256 in hex of everything that decides the bytes of a file. The account is not part of it. */
export const fileKeyOf = (exportQuery: ExportQuery, markets: readonly MarketVersion[]): string => {
  const { event, ticker, series, day, streams, format, numbers, csv_formulas, as_of, ...several } =
    fileQueryOf(exportQuery);
  const versions = markets
    .map((market) => [market.ticker, market.version, market.live] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const { from, to, events, tickers } = several;
  // Only a range or a list has them, so that other files keep their keys.
  const range = Object.keys(several).length === 0 ? [] : [{ from, to, events, tickers }];
  // Without the default, so that a file of an older release keeps its key.
  const type = numbers === 'decimal' ? [] : [numbers];
  const formulas = csv_formulas === undefined ? [] : [{ csv_formulas }];
  const past = as_of === undefined ? [] : [{ as_of }];
  const identity = JSON.stringify([
    fileSchema,
    event,
    ticker,
    series,
    day,
    streams,
    format,
    versions,
    ...range,
    ...type,
    ...formulas,
    ...past,
  ]);
  return createHash('sha256').update(identity).digest('hex');
};

/** A file of the present shows the status of each market. As of a time, no status changes any more. */
export const showsStatus = ({ streams, as_of }: Pick<ExportQuery, 'streams' | 'as_of'>): boolean =>
  streams.includes('settlement') && as_of === undefined;

const readsAtOnce = 32;

/**
 * The current data versions. They are read from the stream leader: a stale version would give a new export an old file.
 * Whether a market is live can come from any replica, because a change of it also raises the data version.
 */
export const marketVersions = async (
  bus: Bus,
  tickers: readonly string[],
  { nowUs, withStatus }: { nowUs: number; withStatus: boolean },
): Promise<MarketVersion[]> => {
  const versions: MarketVersion[] = [];
  await forEachConcurrent(tickers.filter(isValidId), readsAtOnce, async (ticker) => {
    const [archived, live] = await Promise.all([
      lastEvent(bus, { stream: 'EVT_ARCHIVE', subject: subjects.archive(ticker), state: archiveState }),
      withStatus ? isLive(bus, ticker, nowUs) : false,
    ]);
    const version = archived.message?.event.state.version ?? 0;
    versions.push({ ticker, version, live });
  });
  return versions;
};

const isLive = async (bus: Bus, ticker: string, nowUs: number): Promise<boolean> => {
  const subject = subjects.market(ticker);
  const { message } = await lastEvent(bus, { stream: 'EVT_CATALOG', subject, state: marketState, readFrom: 'replica' });
  return message !== undefined && statusOf(message.event.state, nowUs) === 'live';
};
