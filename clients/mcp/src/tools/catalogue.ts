import { counted } from '@almanac/client';
import type { Market, SearchHit } from '@almanac/client';
import { z } from 'zod';
import { datedBy, defineTool, item, limitOf, list, partial, partOf, ticker } from '../tool.js';

export const search = defineTool({
  name: 'search',
  title: 'Search the catalogue',
  description: 'Finds series, events and markets by words or the start of an id. Without q: all.',
  input: z.strictObject({
    q: z.string().max(200).default(''),
    category: z.string().max(100).optional(),
    status: z.enum(['live', 'closed', 'finalized']).optional(),
    limit: limitOf(50, 10),
    offset: z.int().min(0).max(10_000).default(0),
  }),
  output: z.object({ ...partial, corrected_query: z.string().nullable(), hits: list }),
  run: async (input, context) => {
    const { q, ...filters } = input;
    const answer = await context.almanac.search(q, filters, context.call).firstPage();
    const { next_offset, corrected_query = null } = answer;
    const next = next_offset === null ? null : { ...input, offset: next_offset };
    const found = counted(answer.hits.length, 'hit');
    return {
      data: { ...datedBy(answer, context), ...partOf(next), corrected_query, hits: answer.hits.map(hitOf) },
      text: corrected_query === null ? `${found}.` : `Nothing matches ${q}. ${found} for ${corrected_query}.`,
    };
  },
});

const hitOf = ({ kind, id, title, status, series, event_ticker, close_ts }: SearchHit) => ({
  kind,
  id,
  title,
  status,
  series,
  event_ticker,
  close_ts,
});

export const getEvent = defineTool({
  name: 'get_event',
  title: 'Get an event',
  description: 'An event with its markets, by strike.',
  input: z.strictObject({ event: ticker, limit: limitOf(100, 20), cursor: z.string().max(1_000).optional() }),
  output: z.object({ ...partial, event: item, markets: list }),
  run: async (input, context) => {
    const { event: id, ...page } = input;
    const answer = await context.almanac.events.get(id, page, context.call);
    const { event, markets, has_more, next_cursor } = answer;
    return {
      data: {
        ...datedBy(answer, context),
        ...partOf(has_more ? { ...input, cursor: next_cursor } : null),
        event,
        markets: markets.map(marketOf),
      },
      text: `${event.event_ticker} is ${event.status ?? 'of unknown status'}, with ${counted(event.markets_n, 'market')}.`,
    };
  },
});

const marketOf = (market: Market) => {
  const { ticker: id, title, status, result, floor_strike, strike_type, open_ts, close_ts } = market;
  return { ticker: id, title, status, result, floor_strike, strike_type, open_ts, close_ts };
};

const rulesCharactersMax = 1_000;
const historyMax = 10;

export const getMarket = defineTool({
  name: 'get_market',
  title: 'Get a market',
  description:
    'A market with settlement, rules, fee, and when each change was known. full: rules beyond 1,000 characters, history beyond 10 changes.',
  input: z.strictObject({ ticker, full: z.boolean().default(false) }),
  output: z.object({ ...partial, market: item, rules: item.nullable(), history: list }),
  run: async (input, context) => {
    const answer = await context.almanac.markets.get(input.ticker, {}, context.call);
    const { market, tick_size, fee, volume, trades_n, withheld } = answer;
    const rules = answer.rules ?? null;
    const isCut = !input.full && (answer.history.length > historyMax || (rules?.text.length ?? 0) > rulesCharactersMax);
    return {
      data: {
        ...datedBy(answer, context),
        ...partOf(isCut ? { ...input, full: true } : null),
        market: {
          ...market,
          tick_size: tick_size?.value ?? null,
          fee,
          volume,
          trades_n,
          ...(withheld && { withheld }),
        },
        rules: rules && { ...rules, text: isCut ? rules.text.slice(0, rulesCharactersMax) : rules.text },
        history: isCut ? answer.history.slice(0, historyMax) : answer.history,
      },
      text: `${market.ticker} is ${market.status ?? 'of unknown status'}, result ${market.result ?? 'unknown'}.`,
    };
  },
});
