import assert from 'node:assert/strict';
import { Almanac } from '@almanac/client';
import { z } from 'zod';
import type { Agent } from './connect.js';

/** Ids and times of the generated archive, which is dated around now. */
export interface Fixture {
  readonly ticker: string;
  readonly event: string;
  readonly openTs: number;
  readonly closeTs: number;
  /** An event with several markets. */
  readonly ladder: string;
}

export const findFixture = async (baseUrl: string, apiKey: string): Promise<Fixture> => {
  const almanac = new Almanac({ baseUrl, apiKey });
  const one = { status: 'finalized', limit: 1, days: 1 } as const;
  const [market] = await almanac.markets.list({ series: 'GENBTC15M', ...one }).toArray();
  const [other] = await almanac.markets.list({ series: 'GENBTCH', ...one }).toArray();
  assert.ok(market?.open_ts != null && market.close_ts != null && market.event_ticker != null);
  assert.ok(other?.event_ticker != null);
  return {
    ticker: market.ticker,
    event: market.event_ticker,
    openTs: market.open_ts,
    closeTs: market.close_ts,
    ladder: other.event_ticker,
  };
};

export const created = z.object({ export: z.object({ id: z.string(), status: z.string() }) });

/** Calls each tool once. Every result must fit its schema, which the clients of the SDK check. */
export const callEveryTool = async (agent: Agent, { ticker, event, ladder, openTs }: Fixture): Promise<string[]> => {
  const names = (await agent.tools()).map(({ name }) => name);
  const calls: [string, Record<string, unknown>][] = [
    ['search', { q: 'central bank' }],
    ['get_event', { event }],
    ['get_market', { ticker }],
    ['get_candles', { ticker }],
    ['event_on_one_clock', { event: ladder }],
    ['book_at', { ticker, at_ts: openTs + 60 }],
    ['coverage', { ticker }],
    ['quote_export', { event }],
  ];
  for (const [name, args] of calls) {
    const data = await agent.data(name, args);
    assert.ok('as_of' in data && 'truncated' in data, name);
  }
  const { id } = created.parse(await agent.data('create_export', { event, format: 'csv' })).export;
  const ready = await agent.call('get_export', { id, wait_s: 30 });
  assert.equal(created.parse(ready.structuredContent).export.status, 'ready');
  assert.ok(ready.content.some(({ type, uri }) => type === 'resource_link' && uri?.startsWith('http')));
  assert.deepEqual(names.toSorted(), [...calls.map(([name]) => name), 'create_export', 'get_export'].toSorted());
  return names;
};
