import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import {
  type PlanId,
  exportGroup,
  exportListResponse,
  exportQuote,
  exportResponse,
  planResponse,
} from '@almanac/contracts';
import { storeArchive } from '@almanac/operator';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { type ApiClient, post } from '../api.js';
import { endedExport } from '../exports.js';
import type { SystemHarness } from '../harness.js';
import { assertUsage, dayEndOf } from '../usage.js';

const days = ['2026-02-24', '2026-02-25', '2026-02-26', '2026-02-27'] as const;
const [first, second, third, empty] = days;
const series = 'KXPACK';
const secondOf = (day: string, time: string): number => Date.parse(`${day}T${time}Z`) / 1_000;
/** Each market closes at the midnight that ends its day, and has a row before and a row after it. */
const markets = [first, second].map((day, n) => ({ ticker: `KXPACK-${n}-T1`, event: `KXPACK-${n}`, day }));
const rowSeconds = (day: string): number[] => [secondOf(day, '12:00:00'), secondOf(day, '00:00:00') + 86_400 + 1];

const options = z.object({
  code: z.string(),
  detail: z.string(),
  options: z.array(z.looseObject({ type: z.string(), price: z.object({ amount: z.int(), currency: z.string() }) })),
});
const row = z.object({ ticker: z.string() });

/** Tests of exports of several days and events, with what they cost. */
export const dayPacksSuite = (system: () => SystemHarness): void => {
  describe('day packs and ranges', () => {
    before(async () => {
      await storeArchive(system().system, {
        facts: [
          { kind: 'series', id: series, label: 'Packs', shape: 'event' },
          ...markets.map(({ ticker, event, day }) => ({
            kind: 'market' as const,
            ticker,
            event_ticker: event,
            series,
            open_us: secondOf(day, '00:00:00') * 1e6,
            close_us: (secondOf(day, '00:00:00') + 86_400) * 1e6,
          })),
        ],
        rows: markets.flatMap(({ ticker, day }) =>
          rowSeconds(day).map((at) => ({
            ticker,
            series,
            second: at,
            bidCents: 40,
            askCents: 42,
            coinPrice: null,
            sizes: null,
          })),
        ),
      });
    });

    const send = (api: ApiClient, path: string, body: object, key: string = randomUUID()) =>
      api.send(path, post(body, key));
    const created = (api: ApiClient, body: object) => api.json(exportResponse.strict(), '/exports', post(body));
    const quoted = (api: ApiClient, body: object) =>
      api.json(exportQuote.strict(), '/exports?dry_run=true', post(body));
    const refusal = async (api: ApiClient, body: object) => {
      const { status, bytes } = await send(api, '/exports', body);
      return { status, ...options.parse(JSON.parse(bytes.toString())) };
    };
    const rowsOf = async (api: ApiClient, id: string) => {
      const { status, error } = await endedExport(api, id);
      assert.equal(status, 'ready', error ?? '');
      const { bytes } = await api.send(`/exports/${id}/file`);
      return z.array(row).parse(JSON.parse(bytes.toString()));
    };
    const client = (plan: PlanId) => system().client(plan);
    const json = { streams: ['snapshots'], format: 'json' };

    it('offer the events that unlock a day pack, and buying them is enough', async () => {
      const api = await client('free');
      const body = { series, day: second, ...json };
      const { status, options: offered } = await refusal(api, body);
      assert.equal(status, 402);
      const usd = (amount: number) => ({ amount, currency: 'USD' });
      assert.deepEqual(
        offered.map(({ type, price }) => [type, price.amount]),
        [
          ['buy_events', 1_000],
          ['upgrade', 4_900],
          ['upgrade', 14_900],
        ],
      );
      const [buy] = offered;
      assert.deepEqual(buy?.['events'], [
        { event: 'KXPACK-0', price: usd(500) },
        { event: 'KXPACK-1', price: usd(500) },
      ]);
      assert.equal(buy?.['events_n'], 2);
      assert.match(String(buy?.['next']), /POST \/api\/v1\/cart\/event-exports/);
      assert.deepEqual((await quoted(api, body)).options, offered);
      for (const event of ['KXPACK-0', 'KXPACK-1']) await send(api, '/cart/event-exports', { event });
      assert.equal((await send(api, '/cart/checkout', {})).status, 200);
      assert.equal((await created(api, body)).grant, 'unlock');
      // A bought export does not count.
      const { exports_per_day } = (await api.json(planResponse, '/plan')).entitlements;
      assert.equal(exports_per_day.used, 0);
    });

    it('cover a range in one file, with every day in its manifest', async () => {
      const api = await client('pro');
      const dayEnd = await dayEndOf(api);
      const body = { series, from: first, to: empty, ...json };
      const quote = await quoted(api, body);
      assert.deepEqual([quote.grant, quote.row_count], ['plan', 4]);
      assert.deepEqual(
        quote.parts.map(({ day, grant, row_count, reason }) => [day, grant, row_count, reason]),
        [
          [first, 'plan', 1, null],
          [second, 'plan', 2, null],
          [third, 'plan', 1, null],
          [empty, 'plan', 0, 'The archive has no observations on this day.'],
        ],
      );
      const { id, from, to, remarks } = await created(api, body);
      assert.deepEqual([from, to], [first, empty]);
      assert.deepEqual(remarks, [`The archive has no observations on 1 of 4 days: ${empty}.`]);
      assert.equal((await rowsOf(api, id)).length, 4);
      const { manifest } = await endedExport(api, id);
      assert.deepEqual(
        manifest?.days?.map(({ rows }) => rows),
        [1, 2, 1, 0],
      );
      await assertUsage(api, dayEnd, { today: 1, pending: 0, credits: 0 });
    });

    it('become one export a day when they are split: all or none, once for an idempotency key', async () => {
      const api = await client('pro');
      const dayEnd = await dayEndOf(api);
      const body = { series, from: first, to: empty, split: 'day', ...json };
      const key = randomUUID();
      const answers = [];
      for (let n = 0; n < 2; n += 1) {
        const { status, bytes } = await send(api, '/exports', body, key);
        assert.equal(status, 200, bytes.toString());
        answers.push(exportGroup.strict().parse(JSON.parse(bytes.toString())));
      }
      const [group, again] = answers;
      assert.ok(group);
      assert.deepEqual(again, group);
      assert.deepEqual(
        group.exports.map(({ day, status, grant }) => [day, status, grant]),
        [first, second, third].map((day) => [day, 'pending', 'plan']),
      );
      const sizes = await Promise.all(group.exports.map(async ({ id }) => (await rowsOf(api, id)).length));
      assert.deepEqual(sizes, [1, 2, 1]);
      const listed = await api.json(exportListResponse, `/exports?group=${group.group}`);
      assert.equal(listed.count, 3);
      await eventually(() => assertUsage(api, dayEnd, { today: 3, pending: 0, credits: 0 }));
      const free = await client('free');
      assert.equal((await refusal(free, body)).status, 402);
      await assertUsage(free, dayEnd, { today: 0, pending: 0, credits: 0 });
      assert.equal((await free.json(exportListResponse, '/exports')).count, 0);
      assert.equal((await send(api, '/exports', { ...body, to: '2026-03-27' })).status, 422);
    });
  });
};
