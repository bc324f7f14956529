import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Registry } from 'prom-client';
import type { ReserveAnswer } from './http/answer-memory.js';
import { RequestMetrics } from './http/metrics.js';
import { Allowance } from './limits/allowance.js';
import { sendRaw, type RawRequest } from './testing/raw-http.js';
import { answerBeforeRouting } from './answer-before-routing.js';
import type { CachedResponse } from './cache/cached-response.js';

const caller = { account: 'A', keyId: 'K', plan: 'pro', asOf: null };
const answer: CachedResponse = {
  body: '{"a":1}',
  length: 7,
  headers: { 'Content-Type': 'application/json', ETag: '"1"', 'Content-Length': 7 },
  etag: '"1"',
  head: undefined,
  isText: true,
  isJson: true,
  notices: [],
  freshUntilMs: Number.POSITIVE_INFINITY,
  topics: [],
  trusted: () => true,
};

describe('an answer before routing', () => {
  let server: Server;
  let url: string;
  const counted = { uses: 0, hits: 0, free: 0 };
  const memory = { extend: () => undefined, release: () => undefined };
  let reserve: ReserveAnswer = () => memory;
  beforeEach(() => {
    Object.assign(counted, { uses: 0, hits: 0, free: 1 });
    reserve = () => memory;
  });
  const allowance = new Allowance('A', 60, {
    gateways: () => 1,
    peerUpdatesSinceMs: () => 0,
    isLocal: () => false,
    nowMs: () => 0,
  });
  const answered = answerBeforeRouting({
    authentication: {
      knownCaller: (authorization) => (authorization === 'Bearer known' ? caller : undefined),
      used: () => {
        counted.uses += 1;
        return caller;
      },
    },
    limits: {
      of: () => {
        allowance.grant({ tokens: counted.free, free: 0, resetMs: 1, pauseMs: 1, holders: 1, epoch: '' }, 0);
        counted.free = 0;
        return allowance;
      },
    },
    metrics: new RequestMetrics(new Registry()),
    forwarder: {
      answerTo: (request) => (request.url === '/cached' ? { path: '/:name', answer } : undefined),
      countHit: () => void (counted.hits += 1),
    },
    reserveAnswer: (...given) => reserve(...given),
    cors: ({ headers }) => ['Access-Control-Allow-Origin', String(headers.origin)],
    answerError: (error, _request, response) => void response.writeHead(503).end(String(error)),
  });
  before(async () => {
    server = createServer((request, response) => {
      if (!answered(request, response)) response.writeHead(299).end('routed');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => void server.close());
  const request = (path: string, { headers, ...options }: RawRequest = {}) =>
    sendRaw(`${url}${path}`, { ...options, headers: { authorization: 'Bearer known', origin: 'o', ...headers } });

  it('has the bytes and headers of the cached one, with those of the request', async () => {
    const { status, bytes, headers } = await request('/cached', { headers: { 'x-request-id': 'mine' } });
    assert.deepEqual([status, bytes.toString(), headers['etag']], [200, '{"a":1}', '"1"']);
    assert.deepEqual([headers['x-request-id'], headers['access-control-allow-origin']], ['mine', 'o']);
    assert.deepEqual([headers['ratelimit-limit'], headers['ratelimit-remaining']], ['60', '0']);
    assert.deepEqual(counted, { uses: 1, hits: 1, free: 0 });
  });

  it('is 304 for a client that has it', async () => {
    const { status, bytes } = await request('/cached', { headers: { 'if-none-match': 'W/"1"' } });
    assert.deepEqual([status, bytes.length], [304, 0]);
  });

  it('is the error of the request if its memory cannot be reserved', async () => {
    reserve = () => {
      throw new Error('no memory');
    };
    assert.equal((await request('/cached')).status, 503);
    assert.equal(counted.uses, 1);
  });

  const routed: Readonly<Record<string, readonly [string, RawRequest?]>> = {
    'another method': ['/cached', { method: 'POST' }],
    HEAD: ['/cached', { method: 'HEAD' }],
    'a body': ['/cached', { headers: { 'content-length': '0' } }],
    'a body without a length': ['/cached', { headers: { 'transfer-encoding': 'chunked' } }],
    'a key that is not known': ['/cached', { headers: { authorization: 'Bearer other' } }],
    'an address that is not known': ['/other'],
  };
  for (const [name, [path, options]] of Object.entries(routed)) {
    it(`is left to the route for ${name}, and nothing is counted`, async () => {
      assert.equal((await request(path, options)).status, 299);
      assert.deepEqual(counted, { uses: 0, hits: 0, free: 1 });
    });
  }

  it('is left to the route without a free request, and no use is counted', async () => {
    counted.free = 0;
    assert.equal((await request('/cached')).status, 299);
    assert.deepEqual(counted, { uses: 0, hits: 0, free: 0 });
  });
});
