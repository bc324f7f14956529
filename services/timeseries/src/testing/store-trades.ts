import type { RpcClient } from '@almanac/bus';
import { timeseriesRpc } from '@almanac/contracts';

export interface GivenTrade {
  readonly id: string;
  readonly venueUs?: number | null;
  readonly receivedUs?: number | null;
  readonly price?: string;
  readonly size?: string;
  readonly side?: 'yes' | 'no' | null;
}

const time = (us: number | null | undefined): string =>
  us === null || us === undefined ? '\\N' : `${Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, '0')}`;

const lineOf = (
  ticker: string,
  { id, venueUs, receivedUs, price = '0.5', size = '1', side = 'yes' }: GivenTrade,
): string => [ticker, 'S', id, time(venueUs), time(receivedUs), price, size, side ?? '\\N'].join('\t');

/** Stores trades of one market, as the importer does. */
export const storeTrades = async (
  importer: RpcClient,
  ticker: string,
  trades: readonly GivenTrade[],
): Promise<void> => {
  const body = Buffer.from(trades.map((trade) => `${lineOf(ticker, trade)}\n`).join(''));
  const markets = [{ ticker, rows: trades.length, min_us: 0, max_us: 0 }];
  await importer.call(timeseriesRpc.store, {
    input: { columns: 'trades', markets },
    context: { requestId: 'test' },
    body,
  });
};
