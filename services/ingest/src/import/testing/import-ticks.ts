import { importFiles, type TestImport } from './import-files.js';

export const ticks = `
name: ticks
format: csv
match: { columns: [ticker, time] }
refuse_when: error
fields:
  ticker: { column: ticker }
  series: { ticker: '^([^-]+)-' }
  close_ts:
    - from_ticker: {}
    - row_time_plus: { column: left, unit: s, round_to: 1m }
  open_ts: { before_close: 15m }
  floor_strike: { column: strike, decimals: 2 }
  ts: { column: time, unit: ms }
  yes_best_bid: { column: bid, unit: cents }
  yes_best_ask: { column: ask, unit: cents }
  coin_price: { column: price }
`;
export const header = 'ticker,time,bid,ask,price,strike,left,error\n';
export const t0 = Date.UTC(2026, 1, 25, 4, 20);

/** Imports the content of one file with the mapping `ticks`. */
export const importTicks = (content: string | Uint8Array, options?: Omit<TestImport, 'mapping'>) =>
  importFiles({ 'ticks.csv': content }, { mapping: ticks, ...options });
