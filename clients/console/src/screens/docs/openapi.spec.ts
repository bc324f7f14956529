import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { addressOf, bodyOf, exampleOf, fieldsOf, groupsOf, type OpenApi, typeOf } from './openapi.js';

const document = JSON.parse(
  await readFile(new URL('../../../../../docs/openapi.json', import.meta.url), 'utf8'),
) as OpenApi;
const operations = groupsOf(document).flatMap((group) => group.operations);

describe('the reference of the API', () => {
  it('has each endpoint of the document once, in a group', () => {
    const all = Object.values(document.paths).flatMap((item) => Object.keys(item));
    assert.equal(operations.length, all.length);
    assert.equal(new Set(operations.map(({ id }) => id)).size, all.length);
    for (const { tag, summary } of operations) assert.ok(tag !== '' && summary !== '');
  });

  it('has a type for each parameter and each field of an answer, and no reference that leads nowhere', () => {
    for (const { id, parameters, answers } of operations) {
      for (const { name, schema = {} } of parameters) assert.notEqual(typeOf(document, schema), 'any', `${id} ${name}`);
      const [, ok] = answers.find(([status]) => status.startsWith('2')) ?? assert.fail(id);
      const schema = ok.content?.['application/json']?.schema;
      // The JSON of a file is the file.
      if (schema?.$ref !== undefined) assert.ok(fieldsOf(document, schema).length > 0, id);
    }
  });

  it('has an example of each body, with the fields that it needs', () => {
    const bodies = operations.flatMap(({ id, body }) => (body === undefined ? [] : [[id, body] as const]));
    assert.ok(bodies.length > 5);
    for (const [id, body] of bodies) assert.equal(typeof exampleOf(document, body), 'object', id);
  });

  it('puts values into the path with their escapes and into the query, and leaves out what is empty', () => {
    const operation = operations.find(({ id }) => id === 'listCandles') ?? assert.fail();
    assert.equal(
      addressOf(operation, { ticker: 'A/B %', points: '10', start_ts: '' }),
      '/api/v1/markets/A%2FB%20%25/candles?points=10',
    );
    assert.equal(addressOf(operation, {}), '/api/v1/markets/{ticker}/candles');
  });

  it('names a market of the archive in the bodies that name one', () => {
    const ids = { ticker: 'GEN-1', event_id: 'GEN', series_id: 'G' };
    const bodyFor = (id: string): unknown => {
      const { body } = operations.find((one) => one.id === id) ?? assert.fail(id);
      return JSON.parse(bodyOf(document, body ?? assert.fail(id), ids));
    };
    assert.equal((bodyFor('addToCart') as { event: string }).event, 'GEN');
    assert.deepEqual((bodyFor('readMarketsAt') as { tickers: string[] }).tickers, ['GEN-1']);
  });
});
