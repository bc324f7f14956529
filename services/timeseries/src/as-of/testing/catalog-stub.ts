import { type Bus } from '@almanac/bus';
import { type Handlers, serveContracts } from '@almanac/bus/server';
import { catalogRpc, marketState, presentMarket } from '@almanac/contracts';
import { createLogger } from '@almanac/runtime';
import { openUs } from './twin-markets.js';

/** Each event has one market, whose ticker is its id. */
const contracts = { eventDetail: catalogRpc.eventDetail, marketsOpenIn: catalogRpc.marketsOpenIn };
const handlers: Handlers<typeof contracts> = {
  marketsOpenIn: ({ event, as_of }) => ({ tickers: event ? [event] : [], unknown: null, as_of }),
  eventDetail: ({ event_id, as_of }) => {
    const event = {
      event_ticker: event_id,
      title: null,
      series: 'S',
      category: null,
      status: 'closed',
      open_ts: openUs / 1e6,
      close_ts: openUs / 1e6 + 400,
      markets_n: 1,
      live_n: 0,
      closed_n: 1,
    };
    const market = presentMarket(marketState.parse({ ticker: event_id }), null, 0);
    const page = { has_more: false, next_cursor: null, as_of };
    return { source: 'archive', event, title_source: null, count: 1, markets: [market], strike_ladder: null, ...page };
  },
};

export const serveCatalogStub = (bus: Bus) => serveContracts(bus, contracts, handlers, createLogger('test', 'silent'));
