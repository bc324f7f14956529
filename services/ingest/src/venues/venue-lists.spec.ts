import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '@almanac/testing';
import { kalshiLists } from './kalshi/kalshi-lists.js';
import { followMarkets } from '../capture/market-follower.js';
import { fakeVenue } from '../capture/testing/fake-venue.js';
import { polymarketLists } from './polymarket/polymarket-lists.js';
import type { ListedMarket } from './venue-feed.js';

/** A venue that answers by path and query, and 404 for anything else. */
const venue = async (context: TestContext, answers: Readonly<Record<string, unknown>>): Promise<string> => {
  const { url, close } = await fakeVenue({
    onRequest: (request, response) => {
      const answer = answers[request.url ?? ''];
      response.statusCode = answer === undefined ? 404 : 200;
      response.end(answer === undefined ? `no ${request.url}` : JSON.stringify(answer));
    },
  });
  context.after(close);
  return url('http');
};

const kalshiMarket = (ticker: string, result: string) => ({
  ticker,
  open_time: '2026-05-14T13:00:00Z',
  close_time: '2026-05-14T13:15:00Z',
  result,
  x: 1,
});

test('kalshi: the list has all pages of the open markets of a series, each with its series and all fields of the venue', async (context) => {
  const url = await venue(context, {
    '/markets?series_ticker=KX&status=open&limit=1000': { markets: [kalshiMarket('A', '')], cursor: 'next' },
    '/markets?series_ticker=KX&status=open&limit=1000&cursor=next': { markets: [kalshiMarket('B', '')], cursor: '' },
    '/markets?tickers=A%2CB&limit=1000': { markets: [kalshiMarket('A', 'yes')] },
  });
  const lists = kalshiLists(url, 'KX');
  const market = (ticker: string, result: string): ListedMarket => ({
    ticker,
    feedId: ticker,
    openUs: 1_778_763_600_000_000,
    closeUs: 1_778_764_500_000_000,
    isSettled: result !== '',
    text: JSON.stringify({ series_ticker: 'KX', ...kalshiMarket(ticker, result) }),
  });
  assert.deepStrictEqual(await lists.open(), [market('A', ''), market('B', '')]);
  assert.deepStrictEqual(await lists.of(['A', 'B']), [market('A', 'yes')]);
  assert.deepStrictEqual(await lists.of([]), []);
  await assert.rejects(kalshiLists(url, 'OTHER').open(), /\/markets answered 404: no/);
});

const gammaMarket = (slug: string, fields: object = {}) => ({
  slug,
  clobTokenIds: '["11", "12"]',
  endDate: '2026-06-08T00:00:00Z',
  umaResolutionStatus: null,
  ...fields,
});

test('polymarket: the list of a series of windows has the current one and the next by the clock', async (context) => {
  const slugs = 'slug=btc-updown-5m-1780876500&slug=btc-updown-5m-1780876800';
  const url = await venue(context, {
    [`/markets?closed=false&${slugs}`]: [gammaMarket('btc-updown-5m-1780876800')],
    [`/markets?closed=true&${slugs}`]: [gammaMarket('btc-updown-5m-1780876500', { umaResolutionStatus: 'resolved' })],
  });
  const lists = polymarketLists(url, 'btc-updown-5m', () => 1_780_876_799_000);
  const open = await lists.open();
  assert.deepStrictEqual(
    open.map(({ ticker, feedId, closeUs }) => ({ ticker, feedId, closeUs })),
    [{ ticker: 'btc-updown-5m-1780876800', feedId: '11', closeUs: 1_780_876_800_000_000 }],
  );
});

test('polymarket: the list of any other series has the markets of its events, with their event and series', async (context) => {
  const event = { slug: 'fed-june', title: 'Fed in June?' };
  const page = '/events/keyset?series_id=42&closed=false&limit=100';
  const url = await venue(context, {
    '/series?slug=fed': [{ id: 42 }],
    [page]: {
      events: [{ ...event, markets: [gammaMarket('a'), gammaMarket('b', { clobTokenIds: '' })] }],
      next_cursor: 'n',
    },
    [`${page}&after_cursor=n`]: { events: [{ slug: 'fed-july' }] },
  });
  const open = await polymarketLists(url, 'fed').open();
  assert.deepStrictEqual(
    open.map(({ text }) => JSON.parse(text) as unknown),
    [{ ...gammaMarket('a'), events: [event] }],
    'a market without tokens has no book',
  );
  await assert.rejects(polymarketLists(url, 'none').open(), /404/);
});

test('markets are followed as they rotate, each closed one until the venue reports its result', async () => {
  const nowMs = 1_000_000;
  const market = (ticker: string, isSettled: boolean): ListedMarket => ({
    ticker,
    feedId: ticker,
    openUs: 0,
    closeUs: nowMs * 1000,
    isSettled,
    text: '',
  });
  const answers = [['A'], ['A', 'B'], ['B'], ['B'], [], ['C']];
  const requests: (readonly string[])[] = [];
  const listed: string[] = [];
  const open: string[] = [];
  const faults: unknown[] = [];
  let round = -1;
  const follower = followMarkets({
    lists: {
      open: () => {
        round += 1;
        const found = answers[round];
        return found ? Promise.resolve(found.map((each) => market(each, false))) : Promise.reject(new Error('away'));
      },
      of: (tickers) => {
        requests.push(tickers);
        return Promise.resolve(round < 3 ? [] : tickers.map((each) => market(each, true)));
      },
    },
    everyMs: 1,
    nowMs: () => nowMs,
    onMarket: ({ ticker, isSettled }) => void listed.push(`${ticker} ${isSettled ? 'settled' : 'open'}`),
    onOpen: (markets) => void open.push(markets.map(({ ticker }) => ticker).join(' ')),
    onFault: (error) => void faults.push(error),
  });
  await eventually(() => assert.ok(faults.length >= 3));
  await follower.stop();
  assert.deepStrictEqual(open, ['A', 'A B', 'B', 'B', '', 'C']);
  assert.deepStrictEqual(requests, [[], [], ['A'], ['A'], ['B'], []]);
  assert.deepStrictEqual(listed, ['A open', 'B open', 'A settled', 'B settled', 'C open']);
});
