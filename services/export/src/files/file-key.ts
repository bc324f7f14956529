import { createHash } from 'node:crypto';
import { type Bus, isValidId, lastMessage, lastMessageFromReplica, readEvent, subjects } from '@almanac/bus';
import { archiveState, type ExportQuery, exportStreams, marketState, statusOf } from '@almanac/contracts';
import { forEachConcurrent } from '@almanac/runtime';

/** Counts changes of what a file of the same question and data holds: columns, their types, their form. */
export const fileSchema = 1;

/**
 * What a file answers, free of how it was asked: one order of streams, and without `snapshots` where `l2`, which holds
 * its columns, is there too.
 */
export const fileQueryOf = (exportQuery: ExportQuery): ExportQuery => {
  const streams = exportStreams.filter((stream) => exportQuery.streams.includes(stream));
  return {
    ...exportQuery,
    streams: streams.includes('l2') ? streams.filter((stream) => stream !== 'snapshots') : streams,
  };
};

/** A market's part of a file's identity: whether it is live changes its status in the file without any event. */
export interface MarketVersion {
  readonly ticker: string;
  readonly version: number;
  readonly live: boolean;
}

/** SHA-256, hex, of what decides the bytes of a file; who asks is no part of it. */
export const fileKeyOf = (exportQuery: ExportQuery, markets: readonly MarketVersion[]): string => {
  const { event, ticker, series, day, streams, format } = fileQueryOf(exportQuery);
  const versions = markets
    .map((market) => [market.ticker, market.version, market.live] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const identity = JSON.stringify([fileSchema, event, ticker, series, day, streams, format, versions]);
  return createHash('sha256').update(identity).digest('hex');
};

const readsAtOnce = 32;

/**
 * The data versions now. They come from the stream's leader: an older one would give a new export an old file. Whether
 * a market is live may come from any replica, since its changes count as data versions too.
 */
export const marketVersions = async (
  bus: Bus,
  tickers: readonly string[],
  { nowUs, withStatus }: { nowUs: number; withStatus: boolean },
): Promise<MarketVersion[]> => {
  const versions: MarketVersion[] = [];
  await forEachConcurrent(tickers.filter(isValidId), readsAtOnce, async (ticker) => {
    const [archived, live] = await Promise.all([
      lastMessage(bus, 'EVT_ARCHIVE', subjects.archive(ticker)),
      withStatus ? isLive(bus, ticker, nowUs) : false,
    ]);
    const version = archived === null ? 0 : readEvent(archived, archiveState).event.state.version;
    versions.push({ ticker, version, live });
  });
  return versions;
};

const isLive = async (bus: Bus, ticker: string, nowUs: number): Promise<boolean> => {
  const market = await lastMessageFromReplica(bus, 'EVT_CATALOG', subjects.market(ticker));
  return market !== null && statusOf(readEvent(market, marketState).event.state, nowUs) === 'live';
};
