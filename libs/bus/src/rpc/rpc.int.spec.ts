import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { contract, DomainError, operatorSentence, type ErrorCode } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import type { Subscription } from '@nats-io/transport-node';
import { z } from 'zod';
import type { Bus, Running } from '../bus.js';
import { headerNames, subjects } from '../names.js';
import { bytesOf, rpcClient, type RpcReply } from './rpc-client.js';
import { Reply } from './rpc-reply.js';
import type { Handlers } from './handlers.js';
import { serveContracts } from './serve-contracts.js';
import { startTestBus, type TestBus } from '../testing/test-bus.js';
import { chunkBytes } from './rpc-wire.js';

// The service and its permissions are those of catalog and gateway. The methods exist in this test only.
const methodOf = <In extends z.ZodType, Out extends z.ZodType>(
  method: string,
  input: In,
  output: Out,
  timeoutMs = 60_000,
) => contract({ service: 'catalog', method, kind: 'query', input, output, errors: [], timeoutMs });
const echo = methodOf(
  'search',
  z.object({ text: z.string(), n: z.int().default(7) }),
  z.object({ text: z.string(), n: z.int() }),
);
const body = methodOf('categories', z.object({}), z.object({ bytes: z.int() }));
const failing = methodOf('list-series', z.object({ how: z.string() }), z.object({}));
const fails = contract({ ...failing, errors: ['payment_required'] });
const slow = methodOf('series-detail', z.object({ ms: z.int() }), z.object({ waited: z.boolean() }), 400);
/** The client allows much time, but the service still has its 400 ms. */
const slowWithLongTimeout = contract({ ...slow, timeoutMs: 60_000 });
const long = methodOf('event-detail', z.object({ bytes: z.int() }), z.unknown());
const context = methodOf('list-markets', z.object({}), z.record(z.string(), z.unknown()));
const unserved = methodOf('market-detail', z.object({}), z.object({}));

const payload = randomBytes(3 * 1024 * 1024 + 17);
const longMeta = { ticker: 'ÄÖ-東京-🦊"\\', version: 3, cacheable: true };
const aborted: string[] = [];
const began: string[] = [];

const pair = { echo, body, fails, slow, long, context };
const pairHandlers: Handlers<typeof pair> = {
  echo: (input) => input,
  body: (_input, { body: given }) => ({ bytes: given.length }),
  fails({ how }) {
    if (how === 'domain') {
      throw new DomainError('payment_required', 'Zahlung nötig: €5', {
        more: { options: ['a', { b: 1 }] },
        cause: new Error('secret'),
      });
    }
    if (how === 'outage') throw new DomainError('unavailable', 'Try again.', { cause: new Error('socket hang up') });
    if (how === 'undeclared') throw new DomainError('cart_full', 'The cart is full.');
    throw new TypeError('the secret is 42');
  },
  async slow({ ms }, { signal, requestId }) {
    began.push(requestId);
    await delay(ms, undefined, { signal }).catch(() => aborted.push(requestId));
    return { waited: !signal.aborted };
  },
  long({ bytes }) {
    return new Reply(payload.subarray(0, bytes), longMeta);
  },
  context(_input, { requestId, account, plan, remainingMs, forwardedContext }) {
    return { requestId, account, plan, remainingMs, onward: forwardedContext };
  },
};

const sendRequest = { requestId: 'r1' };
const idle = 7; // Subscriptions of an idle service: its methods, and cancellation.
describe('a call between services', () => {
  let nats: TestBus;
  let caller: Bus;
  let server: Bus;
  let calls: Running;
  const logged: object[] = [];
  const warned: object[] = [];
  const log = {
    error: (facts: object) => void logged.push(facts),
    warn: (facts: object) => void warned.push(facts),
    debug: () => undefined,
  };
  before(async () => {
    nats = await startTestBus();
    caller = await nats.connect('gateway');
    server = await nats.connect('catalog');
    calls = await serveContracts(server, pair, pairHandlers, log);
  });
  beforeEach(() => logged.splice(0));
  after(async () => {
    await calls.stop();
    await nats.stop();
  });

  it('carries the parsed input, with its defaults, and the reply', async () => {
    const answer = await rpcClient(caller).call(echo, { input: { text: 'zoë 🦊\n' }, context: sendRequest });
    assert.deepEqual(answer, { text: 'zoë 🦊\n', n: 7 });
  });

  it('carries ready-made rows after the input, even empty ones and newlines', async () => {
    for (const rows of ['', 'a\tb\n\n{"x":1}\n', payload.subarray(0, 900_000)]) {
      const answer = await rpcClient(caller).call(body, { input: {}, body: Buffer.from(rows), context: sendRequest });
      assert.deepEqual(answer, { bytes: Buffer.from(rows).length });
    }
    assert.deepEqual(await rpcClient(caller).call(body, { input: {}, context: sendRequest }), { bytes: 0 });
  });

  it('gives the service the account of the caller and the remaining time', async () => {
    const callOptions = { requestId: 'r2', account: 'acc', plan: 'pro', timeoutMs: 30_000 };
    const answer = await rpcClient(caller).call(context, { input: {}, context: callOptions });
    const { remainingMs, onward, ...rest } = answer;
    assert.deepEqual(rest, { requestId: 'r2', account: 'acc', plan: 'pro' });
    assert.ok(Number(remainingMs) > 0 && Number(remainingMs) <= 30_000);
    assert.ok(typeof onward === 'object' && onward !== null && 'account' in onward && onward.account === 'acc');
    const bare = await rpcClient(caller).call(context, { input: {}, context: sendRequest });
    assert.ok(!('account' in bare));
  });

  it('is refused at once when it is not JSON or does not match its schema, and the service continues', async () => {
    for (const request of ['{"text":', '', '\n', '[]', '{"text":3}', 'null', Buffer.from([0xff, 0xfe])]) {
      const reply = await caller.nc.request(subjects.rpc(echo), request, { timeout: 60_000 });
      assert.equal(reply.headers?.get(headerNames.error), 'invalid_input', String(request));
    }
    assert.equal((await rpcClient(caller).call(echo, { input: { text: 'a', n: 1 }, context: sendRequest })).n, 1);
  });

  it('logs why something is unavailable, which the caller does not see', async () => {
    const attempt = rpcClient(caller).call(fails, { input: { how: 'outage' }, context: sendRequest });
    await failsWith('unavailable', attempt, /^Try again\.$/);
    const [first] = warned;
    assert.ok(first !== undefined && 'err' in first && first.err instanceof DomainError);
    assert.match(String(first.err.cause), /socket hang up/);
    assert.deepEqual([warned.length, logged], [1, []]);
  });

  it('returns an expected error completely, except for its cause', async () => {
    await assert.rejects(rpcClient(caller).call(fails, { input: { how: 'domain' }, context: sendRequest }), (error) => {
      assert.ok(error instanceof DomainError);
      assert.deepEqual(error.reply, {
        code: 'payment_required',
        detail: 'Zahlung nötig: €5',
        more: { options: ['a', { b: 1 }] },
      });
      assert.equal(error.cause, undefined);
      return true;
    });
    assert.deepEqual(logged, []);
  });

  it('returns an error that its contract lacks, which the service logs', async () => {
    const attempt = rpcClient(caller).call(fails, { input: { how: 'undeclared' }, context: sendRequest });
    await failsWith('cart_full', attempt, /^The cart is full\.$/);
    assert.equal(logged.length, 1);
  });

  it('returns an unexpected error without its text, and the service logs it with the request id', async () => {
    await assert.rejects(rpcClient(caller).call(fails, { input: { how: 'x' }, context: sendRequest }), (error) => {
      assert.ok(error instanceof DomainError && error.code === 'internal');
      assert.doesNotMatch(JSON.stringify(error.reply), /42/);
      return true;
    });
    const [first] = logged;
    assert.ok(first && 'err' in first && first.err instanceof TypeError && 'request_id' in first);
    assert.equal(first.request_id, 'r1');
  });

  it('fails at once when no service answers it', async () => {
    // The message differs from that of a call whose timeout has passed.
    await failsWith(
      'unavailable',
      rpcClient(caller).call(unserved, { input: {}, context: sendRequest }),
      /is not running/,
    );
  });

  it('ends for the caller at its deadline, and its signal aborts the work', async () => {
    const callOptions = { input: { ms: 30_000 }, context: { requestId: 'late', timeoutMs: 150 } };
    // The service would answer after its own 400 ms.
    await failsWith('unavailable', rpcClient(caller).call(slowWithLongTimeout, callOptions), /in time/);
    await eventually(() => assert.ok(aborted.includes('late')));
    const own = { requestId: 'own', timeoutMs: 60_000 };
    await failsWith('unavailable', rpcClient(caller).call(slow, { input: { ms: 30_000 }, context: own }), /in time/);
    await eventually(() => assert.ok(aborted.includes('own')));
  });

  it('is refused clearly when it exceeds the size limit of the server, and the connection stays open', async () => {
    const call = { input: {}, body: Buffer.alloc(1_100_000), context: sendRequest };
    await failsWith('invalid_input', rpcClient(caller).call(body, call), /too large/);
    assert.equal((await rpcClient(caller).call(echo, { input: { text: 'a' }, context: sendRequest })).text, 'a');
    assert.equal(caller.nc.stats().outMsgs > 0 && !caller.nc.isClosed(), true);
  });

  it('without permission is an internal error whose detail does not name the subject', async () => {
    const keys = await nats.connect('keys');
    await failsWith(
      'internal',
      rpcClient(keys).call(echo, { input: { text: 'a' }, context: sendRequest }),
      /^[^(]+\(.*Permission/,
    );
  });

  it('returns replies of every length complete, with their metadata', async () => {
    for (const bytes of [0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes, payload.length]) {
      const reply = await rpcClient(caller).forward(long, { input: { bytes }, context: sendRequest });
      assert.deepEqual(reply.meta, longMeta);
      assert.equal(reply.totalBytes, bytes);
      assert.ok((await bytesOf(reply)).equals(payload.subarray(0, bytes)), String(bytes));
    }
  });

  it('keeps 200 concurrent calls with long and short replies apart', async () => {
    const client = rpcClient(caller);
    await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        if (n % 10 !== 0) {
          assert.equal((await client.call(echo, { input: { text: 'x', n }, context: sendRequest })).n, n);
          return;
        }
        const bytes = chunkBytes + n * 1_000;
        const reply = await client.forward(long, { input: { bytes }, context: sendRequest });
        assert.ok((await bytesOf(reply)).equals(payload.subarray(0, bytes)));
      }),
    );
    await eventually(() => assert.equal(subscriptionsOf(server), idle));
  });

  const subscriptionsOf = (bus: Bus): number => {
    // There is no public count. A remaining subscription would be a leak for the life of the process.
    const { protocol } = bus.nc as unknown as { protocol: { subscriptions: { subs: Map<number, Subscription> } } };
    // On a busy machine, the first call that seems lost makes an inbox for each user, which stays.
    return [...protocol.subscriptions.subs.values()].filter((one) => !one.getSubject().endsWith('.*')).length;
  };

  const longReply = (): Promise<RpcReply> =>
    rpcClient(caller).forward(long, { input: { bytes: payload.length }, context: sendRequest });

  it('sends a slow reader at most four unacknowledged chunks', async () => {
    const sentBefore = server.nc.stats().outBytes;
    const reply = await longReply();
    assert.ok(reply.rest);
    const reader = reply.rest[Symbol.asyncIterator]();
    await reader.next();
    await server.nc.flush();
    await eventually(() => assert.ok(server.nc.stats().outBytes - sentBefore >= 5 * chunkBytes));
    // Gives an unwanted effect time to happen.
    await delay(200);
    assert.ok(server.nc.stats().outBytes - sentBefore < 5.5 * chunkBytes);
    await reader.return?.();
    await eventually(() => assert.equal(subscriptionsOf(server), idle));
  });

  it('waits for a slow reader', async () => {
    const reply = await longReply();
    const chunks = [reply.first];
    for await (const part of reply.rest ?? []) {
      if (chunks.length === 1) await delay(7_000);
      chunks.push(part);
    }
    assert.ok(Buffer.concat(chunks).equals(payload));
  });

  it('leaves nothing behind when its caller is gone', async () => {
    const lost = await nats.connect('gateway');
    const reply = await rpcClient(lost).forward(long, { input: { bytes: payload.length }, context: sendRequest });
    assert.ok(reply.rest);
    await reply.rest[Symbol.asyncIterator]().next();
    assert.equal(subscriptionsOf(server), idle + 1);
    await lost.nc.close();
    await eventually(() => assert.equal(subscriptionsOf(server), idle));
  });

  it('is finished when the service stops, and later calls find no service', async () => {
    const other = await nats.connect('catalog');
    const client = rpcClient(caller);
    await calls.stop();
    calls = await serveContracts(other, pair, pairHandlers, log);
    const running = client.call(slowWithLongTimeout, { input: { ms: 300 }, context: { requestId: 'running' } });
    await eventually(() => assert.ok(began.includes('running')));
    const stopped = calls.stop();
    await failsWith('unavailable', client.call(unserved, { input: {}, context: sendRequest }), /not running/);
    assert.deepEqual(await running, { waited: true });
    await stopped;
    await failsWith('unavailable', client.call(echo, { input: { text: 'a' }, context: sendRequest }), /is not running/);
    calls = await serveContracts(server, pair, pairHandlers, log);
  });
});

const failsWith = (code: ErrorCode, attempt: Promise<unknown>, text: RegExp): Promise<void> =>
  assert.rejects(attempt, (error) => {
    assert.ok(error instanceof DomainError, String(error));
    assert.equal(error.code, code);
    assert.match(operatorSentence(error), text);
    return true;
  });
