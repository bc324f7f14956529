import { z } from 'zod';
import { readTime } from '../../values/time.js';
import { fetchVenueJson } from '../fetch-venue-json.js';
import type { ListedMarket, VenueLists } from '../venue-feed.js';

/** The fields used here. The rest passes through unchanged. */
const market = z.looseObject({
  ticker: z.string().min(1),
  open_time: z.string().default(''),
  close_time: z.string(),
  result: z.string().default(''),
});
const page = z.object({ markets: z.array(market), cursor: z.string().default('') });

/** Pages of 1,000 markets. */
const pagesMax = 20;

/** Kalshi's `GET /markets`, which needs no key. `url` ends in `/trade-api/v2`. */
export const kalshiLists = (url: string, series: string): VenueLists => {
  const pages = async (query: Readonly<Record<string, string>>): Promise<readonly ListedMarket[]> => {
    const found: ListedMarket[] = [];
    let cursor = '';
    for (let pagesRead = 0; pagesRead < pagesMax; pagesRead += 1) {
      const params = new URLSearchParams({ ...query, limit: '1000', ...(cursor !== '' && { cursor }) });
      const answer = page.parse(await fetchVenueJson(`${url}/markets`, params));
      found.push(...answer.markets.map((record) => listed(record, series)));
      cursor = answer.cursor;
      if (cursor === '') return found;
    }
    throw new Error(`more than ${pagesMax} pages of markets. Choose a narrower series.`);
  };
  return {
    open: () => pages({ series_ticker: series, status: 'open' }),
    of: (tickers) => (tickers.length === 0 ? Promise.resolve([]) : pages({ tickers: tickers.join(',') })),
  };
};

/** The market does not name its series, and its event ticker does not always show it. */
const listed = (record: z.infer<typeof market>, series: string): ListedMarket => ({
  ticker: record.ticker,
  feedId: record.ticker,
  openUs: readTime(record.open_time, 'iso'),
  closeUs: readTime(record.close_time, 'iso'),
  isSettled: record.result !== '',
  text: JSON.stringify({ series_ticker: series, ...record }),
});
