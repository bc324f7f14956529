import assert from 'node:assert/strict';
import { marketsResponse } from '@almanac/contracts';
import type { ApiClient } from './api.js';
import { readyExport } from './exports.js';

/** Every market as `TICKER title`, sorted, read by its changes: from the tables, with the state of each in the stream. */
export const catalogue = async (api: ApiClient): Promise<string[]> => {
  const found: string[] = [];
  for (let cursor = ''; ;) {
    const page = await api.json(marketsResponse, `/markets?changed_since_ts=0&limit=200&cursor=${cursor}`);
    for (const { ticker, title } of page.markets) found.push(`${ticker} ${title}`);
    if (!page.has_more) return found.toSorted();
    cursor = page.next_cursor ?? assert.fail('a list of changes has no end');
  }
};

/** Asks for about 20 of these markets, by ticker and by search. */
export const answersFor = async (api: ApiClient, lines: readonly string[]): Promise<void> => {
  for (const line of lines.filter((_, index) => index % Math.ceil(lines.length / 20) === 0)) {
    const [ticker = ''] = line.split(' ');
    for (const path of [`/markets/${ticker}`, `/markets?q=${ticker}`]) {
      const answer = await api.send(path);
      assert.equal(answer.status, 200, path);
      assert.ok(answer.bytes.toString().includes(ticker), path);
    }
  }
};

export const exportsMarket = async (api: ApiClient): Promise<void> => {
  const { markets } = await api.json(marketsResponse, '/markets?status=finalized&limit=1');
  await readyExport(api, { ticker: markets[0]?.ticker });
};
