import assert from 'node:assert/strict';
import { bookResponse, candlesResponse } from '@almanac/contracts';
import type { ApiClient } from '@almanac/test-e2e';
import type { Page } from 'playwright-core';
import { drawnBy } from './charts.js';

const points = 900;

/** The chart of a market has the candles of the API, and nothing else. Returns them. */
export const assertCandlesDrawn = async (page: Page, api: ApiClient, ticker: string) => {
  const { candles } = await api.json(candlesResponse, `/markets/${ticker}/candles?points=${points}`);
  const { ts, series } = await drawnBy(page, 'price');
  const rows = ts.map((time, at) => [time, series['bid']?.[at], series['ask']?.[at], series['mid']?.[at]]);
  assert.deepEqual(
    rows.filter(([, bid, ask]) => bid !== null || ask !== null),
    candles.flatMap(({ start_ts, yes_bid, yes_ask, mid }) =>
      yes_bid === null && yes_ask === null
        ? []
        : [[start_ts, yes_bid?.close ?? null, yes_ask?.close ?? null, mid?.close ?? null]],
    ),
  );
  return candles;
};

/** Clicks, and reads the book 30 s before the close: each bid of the panel is one of the API. Returns the API's book. */
export const assertBookBeforeClose = async (
  page: Page,
  api: ApiClient,
  { ticker, closeS }: { readonly ticker: string; readonly closeS: number },
) => {
  const at = closeS - 30;
  await page.getByRole('button', { name: '30 s before close' }).click();
  await page.locator(`[data-book-ts="${at}"]`).waitFor();
  const book = await api.json(bookResponse, `/markets/${ticker}/book?at_ts=${at}`);
  assert.ok((book.orderbook_yes?.length ?? 0) > 0, JSON.stringify(book));
  const bids = await page.locator('.ladder tr[data-side="bid"]').allInnerTexts();
  const numbers = bids.map((row) =>
    row
      .split('\t')
      .slice(0, 2)
      .map((text) => Number(text.replaceAll(/[^\d.]/g, ''))),
  );
  assert.deepEqual(numbers, book.orderbook_yes);
  return book;
};
