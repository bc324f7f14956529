import { dirtyCells } from './dirty-quotes.js';

const columns = 'us ticker sid seq side price by'.split(' ');
const markets = 5;
const startUs = 1_771_993_200_000_000;

/** Frames of Kalshi's channels of books and trades, with every kind of dirt and prices of the coin's trades. */
export const dirtyFrames = (seed: number, { frames: count = 500, rarely = 6 } = {}): string => {
  const { below, pick, beginRow, dirty } = dirtyCells(seed, { columns: columns.length, rarely });
  let [us, seq] = [startUs, 0];
  const side = () =>
    Array.from({ length: below(30) }, (_, at) => [`0.${String(49 - at).padStart(2, '0')}00`, `${1 + below(400)}.00`]);
  const lines = Array.from({ length: count }, (_, index) => {
    beginRow();
    us += below(4) === 0 ? 0 : below(100_000);
    seq += below(60) === 0 ? 2 : 1;
    const at = dirty(String(us), [String(us - 3_000_000), '', 'x']);
    const market_ticker = dirty(`KXBTC15M-26FEB24-T${index < markets ? index : below(markets)}`, [
      '',
      `K${'X'.repeat(260)}`,
    ]);
    const place = {
      sid: Number(dirty('1', ['2', '0', '-1'])),
      seq: Number(dirty(String(seq), [String(seq - 3), '0'])),
    };
    const isBook = index < markets || below(50) === 0;
    const change = {
      side: dirty(pick(['yes', 'no']), ['maybe', '']),
      price_dollars: dirty(`0.${String(20 + below(30))}00`, ['1.0000', '0.0000', 'x', '0.12345678']),
      delta_fp: dirty(`${below(60) - 10}.00`, ['-99999999.00', 'x', '0.000001', '0.0000001']),
      ts: new Date(us / 1_000).toISOString(),
    };
    const msg = { market_ticker, ...(isBook ? { yes_dollars_fp: side(), no_dollars_fp: side() } : change) };
    const raw = JSON.stringify({ type: isBook ? 'orderbook_snapshot' : 'orderbook_delta', ...place, msg });
    const text = below(rarely * 30) === 0 ? raw.slice(0, -9) : raw;
    return below(rarely * 60) === 0 ? '{"recv_ts_ns' : `{"recv_ts_ns":${at}000,"raw":${JSON.stringify(text)}}`;
  });
  return `${lines.join('\n')}\n`;
};
