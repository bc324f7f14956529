import { readFileSync } from 'node:fs';

/** One observation of the recording, read independently of the importer. */
export interface SourceRow {
  readonly ts: number;
  readonly bid: number;
  readonly ask: number;
  readonly coinPrice: number;
}

const coins = ['btc', 'eth', 'sol', 'xrp'];

/** The wide quotes file by market, in the order of its lines. No field is quoted, so it splits at commas. */
export const readQuotes = (path: string): Map<string, SourceRow[]> => {
  const [header = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const columns = header.trim().split(',');
  const at = new Map(columns.map((name, index) => [name, index]));
  const markets = new Map<string, SourceRow[]>();
  for (const line of lines) {
    const cells = line.trim().split(',');
    const cell = (name: string) => cells[at.get(name) ?? -1] ?? '';
    for (const coin of coins) {
      const ticker = cell(`${coin}_ticker`);
      if (ticker === '' || cell(`${coin}_error`) !== '') continue;
      const rows = markets.get(ticker) ?? [];
      rows.push({
        ts: Number(cell('ts_unix')),
        bid: Number(cell(`${coin}_yes_bid`)) / 100,
        ask: Number(cell(`${coin}_yes_ask`)) / 100,
        coinPrice: Number(cell(`${coin}_real_price`)),
      });
      markets.set(ticker, rows);
    }
  }
  return markets;
};

/** The row of one settled market by column name. An empty cell is an empty text. */
export const settledRow = (path: string, ticker: string): Record<string, string> => {
  const [header = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const line = lines.find((candidate) => candidate.startsWith(`${ticker},`));
  if (line === undefined) throw new Error(`${ticker} is not in ${path}`);
  const cells = line.trim().split(',');
  return Object.fromEntries(
    header
      .trim()
      .split(',')
      .map((name, index) => [name, cells[index] ?? '']),
  );
};

/** The lines of a file, header first. */
export const readQuotesText = (path: string): string[] => readFileSync(path, 'utf8').trimEnd().split(/\r?\n/);
