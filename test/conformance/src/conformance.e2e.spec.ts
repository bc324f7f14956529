import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkCase } from './check.js';
import {
  allowed,
  credentials,
  type Fixed,
  lengths,
  spellings,
  trailingSlashes,
  unknownPaths,
  wrongMethods,
} from './fixed-cases.js';
import { jsonOf } from './http.js';
import { limits } from './limits.js';
import { order, others, replays } from './check-order.js';
import type { Shown } from './parameters.js';
import { fuzz } from './fuzz-suite.js';
import { endpointFaults, publishedQuery } from './published.js';
import { casesOf } from './rows.js';
import { table } from './table/table.js';
import { startConformanceHarness, type ConformanceHarness } from './harness.js';

const rowsAtOnce = 4;

describe('the API as specified', { timeout: 580_000 }, () => {
  let harness: ConformanceHarness;
  before(async () => {
    harness = await startConformanceHarness();
  });
  after(() => harness.stop());

  it('has all endpoints of the document, and no other, in the table', () => {
    assert.deepEqual(endpointFaults(harness.document, table), []);
  });

  for (const endpoint of table) {
    // Rows that change something may follow from each other.
    describe(`${endpoint.method} ${endpoint.path}`, { concurrency: endpoint.method === 'GET' ? rowsAtOnce : 1 }, () => {
      for (const one of casesOf(endpoint)) it(one.name, () => checkCase(harness, one));
      const { query = [] } = endpoint;
      if (query.length > 0) {
        it('is published with these parameters and bounds', () => {
          const published = publishedQuery(harness.document, `/api/v1${endpoint.path}`);
          const publishedFields = published.map(([name, schema], index) => {
            const fields = Object.keys(query[index]?.published ?? {}).map((field) => [field, schema[field]] as const);
            return [name, Object.fromEntries(fields)] as const;
          });
          assert.deepEqual(
            publishedFields,
            query.map((parameter) => [parameter.name, parameter.published]),
          );
        });
      }
    });
  }

  const groups: Readonly<Record<string, readonly Fixed[]>> = {
    'an unknown path': unknownPaths,
    'a trailing slash': trailingSlashes,
    'an unsupported method': wrongMethods,
    'the spelling of a request': spellings,
    'the length of a body': lengths,
    'the API key': credentials,
    'the order of checks': order,
    'the rate limit': limits,
    'a used Idempotency-Key': replays,
    'resources of another account': others,
  };
  for (const [about, rows] of Object.entries(groups)) {
    describe(about, () => {
      for (const row of rows) it(row.name, () => checkCase(harness, row));
    });
  }

  describe('every path', () => {
    for (const [path, allow] of Object.entries(allowed)) {
      it(`OPTIONS ${path} lists the allowed methods`, async () => {
        const { status, headers } = await harness.request({ method: 'OPTIONS', path, who: 'stranger' });
        assert.deepEqual([status, headers.allow], [204, allow]);
      });
    }
    for (const { method, good } of table.filter((endpoint) => endpoint.method === 'GET')) {
      it(`HEAD ${good} answers as ${method}`, async () => {
        const head = await harness.request({ method: 'HEAD', path: good });
        assert.deepEqual([head.status, head.bytes.length], [200, 0]);
      });
    }
  });

  describe('a request id', () => {
    const statusFor = async (own: string) =>
      (await harness.request({ path: '/plan', headers: { 'X-Request-ID': own } })).headers;
    for (const own of ['abc-123', 'x'.repeat(128), 'A.b_c:1/2+3=@4']) {
      it(`${own.slice(0, 30)} is returned`, async () => assert.equal((await statusFor(own))['x-request-id'], own));
    }
    for (const own of ['', 'a b', 'x'.repeat(129), '<script>', '\u00e9']) {
      it(`${JSON.stringify(own.slice(0, 30))} is replaced`, async () => {
        assert.notEqual((await statusFor(own))['x-request-id'], own);
      });
    }
  });

  describe('the end of a list', () => {
    const page = async (path: string): Promise<Shown> => jsonOf(await harness.request({ path })) as Shown;
    const ends = (body: Shown, next: string) => [body.count, body['has_more'], body[next]];

    it('an offset past the end is an empty list', async () => {
      for (const path of ['/search?q=CF-DAYS', '/series?category=cf-days', '/series/CF-DAYS?status=live']) {
        assert.deepEqual(ends(await page(`${path}&offset=10000`), 'next_offset'), [0, false, null], path);
      }
    });
    it('a cursor continues to the end with any limit', async () => {
      const firstPage = await page('/markets?q=CF-DAYS&limit=8');
      const rest = await page(`/markets?q=CF-DAYS&limit=200&status=&cursor=${firstPage.next_cursor}`);
      assert.deepEqual(ends(rest, 'next_cursor'), [1, false, null]);
    });
    it('a cursor of other filters is refused as a forged one', async () => {
      const { next_cursor } = await page('/markets?q=CF-DAYS&limit=1');
      for (const filters of ['', 'q=CF', 'series=CF-DAYS', 'q=CF-DAYS&status=finalized', 'q=CF-DAYS&from_ts=0']) {
        assert.equal(
          (await harness.request({ path: `/markets?${filters}&cursor=${next_cursor}` })).status,
          422,
          filters,
        );
      }
      const { next_cursor: ofEvent } = await page('/events/CF-BIG-LADDER?limit=1');
      assert.equal((await harness.request({ path: `/events/CF-DAYS-E0?cursor=${ofEvent}` })).status, 422);
    });
    it('a cursor of one listing is refused by the other', async () => {
      const { next_cursor: ofEvent } = await page('/events/CF-BIG-LADDER?limit=1');
      const { next_cursor: ofMarkets } = await page('/markets?event=CF-BIG-LADDER&limit=1');
      assert.equal((await harness.request({ path: `/markets?cursor=${ofEvent}` })).status, 422);
      assert.equal((await harness.request({ path: `/events/CF-BIG-LADDER?cursor=${ofMarkets}` })).status, 422);
    });
    for (const path of ['/events/CF-BIG-LADDER?limit=150', '/markets?event=CF-BIG-LADDER&limit=150']) {
      it(`${path} continues by its cursor without a repeat or a hole`, async () => {
        const seen: string[] = [];
        for (let next: string | null | undefined = ''; typeof next === 'string';) {
          const body = await page(`${path}&cursor=${next}`);
          seen.push(...(body.markets ?? []).map(({ ticker }) => ticker));
          next = body.next_cursor;
        }
        assert.deepEqual([seen.length, new Set(seen).size], [401, 401]);
      });
    }
  });

  // After the rows, since it changes what their accounts have.
  fuzz(() => harness, { inputs: 2_000, seed: 20_260_224 });

  // Each refused read was checked when it came. The last test has the total.
  it('no read was refused while the system was neither busy nor starting', (test) => {
    test.diagnostic(`Remark: ${harness.refused.summary()}`);
  });
});
