import assert from 'node:assert/strict';
import { z } from 'zod';
import type { ArchivedMarket } from '../clients-system.js';
import type { Agent } from './connect.js';

export const created = z.object({ export: z.object({ id: z.string(), status: z.string() }) });

/** Calls each tool once. Every result must fit its schema, which the clients of the SDK check. */
export const callEveryTool = async (
  agent: Agent,
  { ticker, event, ladderEvent, openTs }: ArchivedMarket,
): Promise<string[]> => {
  const names = (await agent.tools()).map(({ name }) => name);
  const calls: [string, Record<string, unknown>][] = [
    ['search', { q: 'central bank' }],
    ['get_event', { event }],
    ['get_market', { ticker }],
    ['get_candles', { ticker }],
    ['event_on_one_clock', { event: ladderEvent }],
    ['book_at', { ticker, at_ts: openTs + 60 }],
    ['coverage', { ticker }],
    ['coverage', { event, by: 'hour' }],
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
  assert.deepEqual(new Set(names), new Set([...calls.map(([name]) => name), 'create_export', 'get_export']));
  return names;
};
