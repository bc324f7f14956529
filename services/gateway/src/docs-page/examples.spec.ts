import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exportCreateRequest } from '@almanac/contracts';
import { z } from 'zod';
import { openApiOf } from '../openapi/document.js';
import { routes } from '../routes/routes.js';
import { exampleMarketIn, storedKey, withExamples } from './examples.js';

const market = { ticker: 'GENBTC15M-26NOV221300-00', event: 'GENBTC15M-26NOV221300', series: 'GENBTC15M' };
const operation = z.looseObject({
  operationId: z.string(),
  parameters: z
    .array(z.looseObject({ name: z.string().optional(), in: z.string().optional(), example: z.string().optional() }))
    .default([]),
  requestBody: z
    .looseObject({ content: z.record(z.string(), z.looseObject({ example: z.unknown().optional() })) })
    .optional(),
});
const paths = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operation)) });

describe('the examples of the page at /docs', () => {
  const document = paths.parse(withExamples(openApiOf(routes), market));
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

  it('are in each path that names a series, an event or a market, and in no query', () => {
    const found = operations.flatMap(({ parameters }) => parameters.filter(({ example }) => example !== undefined));
    assert.deepEqual(
      new Set(found.map(({ name, in: place, example }) => `${place} ${name} ${String(example)}`)),
      new Set([`path ticker ${market.ticker}`, `path event_id ${market.event}`, `path series_id ${market.series}`]),
    );
    assert.equal(found.length, 10);
  });

  it('are in the bodies that name an event or a market, as valid requests', () => {
    const bodies = operations.flatMap(({ operationId, requestBody }) => {
      const example = requestBody?.content['application/json']?.example;
      return example === undefined ? [] : [[operationId, example] as const];
    });
    assert.deepEqual(
      bodies.map(([name]) => name),
      ['createExport', 'addToCart'],
    );
    assert.equal(exportCreateRequest.parse(bodies[0]?.[1]).ticker, market.ticker);
    assert.deepEqual(bodies[1]?.[1], { event: market.event });
  });

  it('are missing without a market, and the document stays as it is', () => {
    const plain = openApiOf(routes);
    assert.equal(withExamples(plain, null), plain);
    for (const answer of [null, {}, { markets: [] }, { markets: [{ ticker: 1 }] }, 'text']) {
      assert.equal(exampleMarketIn(answer), null);
    }
    const row = { ticker: market.ticker, event_ticker: market.event, series: market.series, status: 'live' };
    assert.deepEqual(exampleMarketIn({ count: 1, markets: [row] }), market);
  });

  it('come from the archive of the key that Swagger UI stores', () => {
    assert.equal(storedKey('{"bearer":{"name":"bearer","value":"ak_live_1"}}'), 'ak_live_1');
    for (const stored of [null, '', '{', '{}', '{"bearer":null}', '{"bearer":{"value":7}}']) {
      assert.equal(storedKey(stored), null, String(stored));
    }
  });
});
