import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { byteBudget } from '@almanac/runtime';
import { Registry } from 'prom-client';
import { answerReservations } from './answer-memory.js';
import type { Exchange } from './exchange.js';
import { overloadCounter } from './metrics.js';

const mebibyte = 1_048_576;
const isUnavailable = (error: unknown): boolean => error instanceof DomainError && error.code === 'unavailable';

describe('the memory for answers that clients read slowly', () => {
  const answers: ServerResponse[] = [];
  const clients: IncomingMessage[] = [];
  const server = createServer((_request, response) => {
    answers.push(response);
    response.flushHeaders();
  });
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  /** The answer to a client that reads nothing. */
  const answerTo = async (account: string): Promise<Pick<Exchange, 'response' | 'caller'>> => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has a port');
    const request = get({ port: address.port, agent: false });
    const [client] = (await once(request, 'response')) as [IncomingMessage];
    request.on('error', () => undefined);
    client.on('error', () => undefined);
    clients.push(client);
    const response = answers.at(-1) ?? assert.fail('the request has an answer');
    return { response: response as Exchange['response'], caller: { account } as Exchange['caller'] };
  };

  it('goes to an account that has none, and the slowest answer ends incomplete', async (t) => {
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    const reserve = answerReservations(byteBudget(8 * mebibyte), overloadCounter(new Registry()));
    const [slow, quick, young, later] = [
      await answerTo('slow'),
      await answerTo('quick'),
      await answerTo('young'),
      await answerTo('later'),
    ];
    const bytes = 2 * mebibyte;
    reserve(slow, bytes);
    reserve(quick, bytes);
    quick.response.write(Buffer.alloc(bytes));
    nowMs = 5_000;
    reserve(young, bytes);
    assert.throws(() => reserve(later, bytes), isUnavailable);
    clients[1]?.resume();
    await once(quick.response, 'drain');
    nowMs = 11_000;
    const closed = once(slow.response, 'close');
    reserve(later, bytes);
    await closed;
    assert.deepEqual(
      [slow, quick, young].map(({ response }) => response.destroyed),
      [true, false, false],
    );
    // Only for an account that has nothing.
    nowMs = 40_000;
    assert.throws(() => reserve(later, bytes), isUnavailable);
  });

  it('ends the slowest answer of the account that has most, however young it is', async (t) => {
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    const reserve = answerReservations(byteBudget(8 * mebibyte), overloadCounter(new Registry()));
    const [quick, slow] = [await answerTo('greedy'), await answerTo('greedy')];
    const [modest, other, later] = [await answerTo('modest'), await answerTo('other'), await answerTo('later')];
    for (const one of [quick, slow, other]) reserve(one, mebibyte);
    reserve(modest, 1.5 * mebibyte);
    clients.at(-5)?.resume();
    quick.response.write(Buffer.alloc(mebibyte));
    await once(quick.response, 'drain');
    nowMs = 2_000;
    const closed = once(slow.response, 'close');
    reserve(later, 2 * mebibyte);
    await closed;
    assert.deepEqual(
      [quick, modest, other].map(({ response }) => response.destroyed),
      [false, false, false],
    );
  });

  it('notices soon that a client which read much reads no longer', async (t) => {
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    const reserve = answerReservations(byteBudget(2 * mebibyte), overloadCounter(new Registry()));
    const stalled = await answerTo('stalled');
    reserve(stalled, mebibyte);
    clients.at(-1)?.resume();
    if (!stalled.response.write(Buffer.alloc(8 * mebibyte))) await once(stalled.response, 'drain');
    for (nowMs = 6_000; nowMs <= 18_000; nowMs += 6_000) reserve(await answerTo(`at ${nowMs}`), 20_000);
    const closed = once(stalled.response, 'close');
    reserve(await answerTo('later'), mebibyte);
    await closed;
  });

  it('lets a quick client have more while half of all is free, until it gives that back', async () => {
    const budget = byteBudget(40 * mebibyte);
    const reserve = answerReservations(budget, overloadCounter(new Registry()));
    const first = reserve(await answerTo('first'), mebibyte);
    const release = first.extend(4 * mebibyte) ?? assert.fail('there is memory');
    release();
    assert.equal(budget.used, mebibyte);
    const answer = await answerTo('second');
    const second = reserve(answer, mebibyte);
    assert.ok(second.extend(4 * mebibyte));
    for (const account of ['third', 'fourth']) reserve(await answerTo(account), 7 * mebibyte);
    assert.equal(first.extend(4 * mebibyte), undefined);
    answer.response.destroy();
    await once(answer.response, 'close');
    assert.equal(budget.used, 15 * mebibyte);
  });
});
