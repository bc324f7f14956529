import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { Answer } from './http.js';
import { endpointFaults, publishedCheck, readsWithoutParameters } from './published.js';
import { table } from './table/table.js';

const error = { type: 'object', properties: { detail: { type: 'string' } }, required: ['detail', 'code'] };
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const item = {
  type: 'object',
  properties: { id: { type: 'string' }, n: { type: ['integer', 'null'] } },
  required: ['id'],
};
const document = {
  openapi: '3.2.0',
  paths: {
    '/things/{id}': {
      get: {
        responses: {
          200: json({ $ref: '#/components/schemas/Item' }),
          404: { $ref: '#/components/responses/Missing' },
          304: { description: 'the same' },
          default: json({ $ref: '#/components/schemas/Error' }),
        },
      },
    },
    '/things/all': { get: { responses: { 200: { content: { 'text/csv': {} } } } } },
  },
  components: {
    schemas: { Item: item, Error: error },
    responses: {
      Missing: json({
        allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: ['thing_not_found'] } } }],
      }),
    },
  },
};

describe('the check against a published document', () => {
  const check = publishedCheck(document);
  const answer = (status: number, body: unknown, type = 'application/json'): Answer => {
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    return { status, headers: text === '' ? {} : { 'content-type': type }, bytes: Buffer.from(text), ms: 1 };
  };
  const one = { method: 'GET', path: '/things/a%20b?x=1' };
  const refuses = (request: typeof one, given: Answer, why: RegExp) => assert.throws(() => check(request, given), why);

  it('accepts what is listed', () => {
    check(one, answer(200, { id: 'a', n: null, more: 1 }));
    check(one, answer(404, { detail: 'None.', code: 'thing_not_found' }));
    check(one, answer(304, undefined));
    check({ method: 'HEAD', path: '/things/a' }, answer(304, undefined));
    check({ method: 'GET', path: '/things/all' }, answer(200, 'a,b', 'text/csv; charset=utf-8'));
  });
  it('refuses a body of another shape', () => {
    refuses(one, answer(200, { n: 1 }), /must have required property 'id'/);
    refuses(one, answer(200, { id: 1 }), /must be string/);
    refuses(one, answer(200, { id: 'a', n: 1.5 }), /must be integer,null/);
    refuses(one, answer(404, { detail: 'None.', code: 'other' }), /must be equal to one of the allowed values/);
    refuses(one, answer(304, { id: 'a' }), /304/);
  });
  it('refuses an unlisted status, media type or path, whatever the default response is', () => {
    refuses(one, answer(403, { detail: 'No.', code: 'forbidden' }), /does not list this/);
    refuses(one, answer(200, 'a,b', 'text/csv'), /does not list text\/csv/);
    refuses({ method: 'GET', path: '/nothing' }, answer(200, { id: 'a' }), /does not list this/);
    refuses(
      { method: 'GET', path: '/things/all' },
      answer(404, { detail: 'x', code: 'thing_not_found' }),
      /does not list/,
    );
  });
  it('accepts the error shape for a path or method without an operation', () => {
    check({ method: 'GET', path: '/nothing' }, answer(404, { detail: 'None.', code: 'not_found' }));
    check({ method: 'PUT', path: '/things/a' }, answer(405, { detail: 'No.', code: 'method_not_allowed' }));
    check({ method: 'OPTIONS', path: '/things/a' }, answer(204, undefined));
    refuses(
      { method: 'GET', path: '/nothing' },
      answer(404, { code: 'not_found' }),
      /must have required property 'detail'/,
    );
  });
});

describe('the table', () => {
  it('has every operation of the published document, and no other', async () => {
    const text = await readFile(new URL('../../../docs/openapi.json', import.meta.url), 'utf8');
    assert.deepEqual(endpointFaults(JSON.parse(text), table), []);
  });
  it('has a row of its own for each read with a parameter', () => {
    assert.deepEqual(readsWithoutParameters(document), ['/things/all']);
    const parameters = [{ $ref: '#/components/parameters/Prefer' }, { in: 'query', name: 'q' }];
    const paths = {
      '/api/v1/a': { get: { parameters } },
      '/api/v1/b': { get: { parameters: parameters.slice(0, 1) } },
    };
    assert.deepEqual(readsWithoutParameters({ paths }), ['/b']);
  });
  it('is compared in both directions', () => {
    const rows = [
      { method: 'GET', path: '/things/{id}' },
      { method: 'GET', path: '/things/all' },
    ];
    assert.deepEqual(endpointFaults(document, rows), []);
    assert.deepEqual(endpointFaults(document, [...rows, { method: 'POST', path: '/things/all' }]), [
      'the document has no POST /things/all',
    ]);
    assert.deepEqual(endpointFaults(document, rows.slice(1)), ['the table has no row for GET /things/{id}']);
  });
});
