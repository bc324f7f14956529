import { open } from 'node:fs/promises';

/** A file of one kind that is as large as a test wants, and the mapping that describes it. */
export interface LargeFile {
  readonly name: string;
  /** The built-in formats without it. */
  readonly mapping?: string;
  /** Writes until the file has the size. Returns the number of its records. */
  readonly write: (path: string, bytesMin: number) => Promise<number>;
}

/** Writes a head, the texts of record after record until the file has the size, and an end. */
const written =
  (head: string, textOf: (record: number) => string, end = '') =>
  async (path: string, bytesMin: number): Promise<number> => {
    const handle = await open(path, 'w');
    try {
      let records = 0;
      let { bytesWritten: bytes } = await handle.write(head);
      while (bytes < bytesMin) {
        let text = '';
        while (text.length < 1_000_000 && bytes + text.length < bytesMin) text += textOf(records++);
        bytes += (await handle.write(text)).bytesWritten;
      }
      if (end !== '') await handle.write(end);
      return records;
    } finally {
      await handle.close();
    }
  };

/** Rows of 5,000 markets. */
export const largeTicks: LargeFile = {
  name: 'ticks.csv',
  mapping: `
name: ticks
format: csv
match: { columns: [ticker, time, bid] }
fields:
  ticker: { column: ticker }
  series: { ticker: '^([^-]+)-' }
  ts: { column: time, unit: s }
  yes_best_bid: { column: bid, unit: cents }
  coin_price: { column: price }
`,
  write: written(
    'ticker,time,bid,price,note\n',
    (row) =>
      `KXBTC15M-26FEB242330-${row % 5_000},${1_771_993_365 + row}.058297,${row % 100},65541.${row % 1_000},a note that nobody reads\n`,
  ),
};

const rules = 'If this happens, then the market resolves to Yes. '.repeat(40);

/** One page of markets on one line. */
export const largePage: LargeFile = {
  name: 'markets.json',
  write: written(
    '{"cursor":"","markets":[',
    (market) => {
      const ids = `"ticker":"KXA-26MAR-${market}","event_ticker":"KXA-26MAR","status":"active"`;
      return `${market === 0 ? '' : ','}{${ids},"close_time":"2026-03-19T14:00:00Z","volume":${market},"rules":"${rules}"}`;
    },
    ']}',
  ),
};

/** Books of 50 markets, and changes of their levels. */
export const largeLevels: LargeFile = {
  name: 'levels.csv',
  mapping: `
name: levels
format: csv
match: { columns: [market, event, px] }
fields:
  ticker: { column: market }
  ts: { column: at, unit: ms }
  book_event: { column: event }
  side: { column: side }
  price: { column: px, unit: cents }
  size: { column: qty }
`,
  write: written('market,event,at,side,px,qty,note\n', (row) => {
    const event = row < 50 ? 'snapshot' : 'level';
    return `M-${row % 50},${event},${1_771_993_365_000 + row},bid,${1 + (row % 97)},${1 + (row % 1_000)},a note that nobody reads\n`;
  }),
};
