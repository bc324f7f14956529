import { randomUUID } from 'node:crypto';
import {
  type Bus,
  consumeBatches,
  durables,
  ensureDeadLetters,
  type EventMessage,
  rpcClient,
  type Running,
} from '@almanac/bus';
import { type ClickHouse, rows } from '@almanac/clickhouse';
import { type ArchiveState, archiveState, catalogRpc } from '@almanac/contracts';
import type { Logger } from '@almanac/runtime';
import { z } from 'zod';

export interface RecordTotalsDeps {
  readonly bus: Bus;
  readonly clickhouse: ClickHouse;
  readonly log: Pick<Logger, 'warn'>;
}

/** A count reads all trades of a market. An import stores a market in many batches, so counts have a distance. */
const everyMs = 1_000;
/** Data changes of a batch, and markets of one statement and one call. */
const batchMax = 5_000;
const marketsMax = 500;
const callMs = 30_000;

/**
 * Follows the stored batches of trades, and records the number and volume of each market's trades in the catalogue. So
 * the detail of a market has both without a query of its trades.
 */
export const recordTradeTotals = async (deps: RecordTotalsDeps): Promise<Running> => {
  await ensureDeadLetters(deps.bus);
  const rpc = rpcClient(deps.bus);
  return consumeBatches<ArchiveState>(deps.bus, {
    stream: 'EVT_ARCHIVE',
    durable: durables.timeseriesTrades,
    state: archiveState,
    batchMax,
    everyMs,
    concerns: hasTrades,
    onFailure: (error, { subject, seq }, next) =>
      deps.log.warn({ err: error, subject, seq, next }, 'the trades of a market could not be counted'),
    handle: async (messages) => {
      const tickers = [...new Set(messages.map(({ event }) => event.state.ticker))];
      for (let from = 0; from < tickers.length; from += marketsMax) {
        const facts = await totalsOf(deps.clickhouse, tickers.slice(from, from + marketsMax));
        if (facts.length === 0) continue;
        const context = { requestId: `trades-${randomUUID()}`, timeoutMs: callMs };
        await rpc.call(catalogRpc.record, { input: { facts }, context });
      }
    },
  });
};

const change = z.looseObject({ cause: z.string() });

const hasTrades = ({ event }: EventMessage<ArchiveState>): boolean =>
  change.safeParse(event.data).data?.cause === 'trades';

const totalsSql = `SELECT ticker, count() AS n, toString(sum(size)) AS volume FROM trades FINAL
WHERE ticker IN {tickers:Array(String)} GROUP BY ticker
SETTINGS max_threads = 1, output_format_json_quote_64bit_integers = 0`;

const totals = z.object({ ticker: z.string(), n: z.int(), volume: z.string() });

const totalsOf = async (clickhouse: ClickHouse, tickers: readonly string[]) => {
  const found = await rows(clickhouse, { sql: totalsSql, params: { tickers: [...tickers] } }, totals);
  return found.map(({ ticker, n, volume }) => ({ kind: 'market' as const, ticker, trades: { n, volume } }));
};
