import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contract, type Contracts, serviceContracts, type ServiceName, streamsRpc } from '@almanac/contracts';
import { z } from 'zod';
import { bind, type Handlers } from './handlers.js';
import { subjects } from '../names.js';
import { Reply } from './rpc-reply.js';

const pair = {
  find: contract({
    service: 'keys',
    method: 'find',
    kind: 'query',
    input: z.object({ id: z.string(), limit: z.int().default(10) }),
    output: z.object({ found: z.boolean(), of: z.int().default(0) }),
    errors: [],
    timeoutMs: 1_000,
  }),
  remove: contract({
    service: 'keys',
    method: 'remove',
    kind: 'command',
    input: z.object({ id: z.string() }),
    output: z.object({ removed: z.boolean() }),
    errors: [],
    timeoutMs: 1_000,
  }),
};
const remove = () => ({ removed: true });

describe('handlers', () => {
  it('get the parsed input and the context, and return the output, a promise of it or a reply', () => {
    const handlers: Handlers<typeof pair> = {
      find: ({ id, limit }, { caller }) => Promise.resolve({ found: id === caller && limit > 0 }),
      remove: () => Reply.json({ removed: true }, { ticker: 'T' }),
    };
    const bound = bind(pair, handlers);
    assert.deepEqual(
      bound.map(({ contract: { method } }) => method),
      ['find', 'remove'],
    );
    bind(pair, { find: () => new Reply(Buffer.from('{"found":true}')), remove });
  });

  it('with another input do not compile', () => {
    // @ts-expect-error The input is an object with an id, not an expression.
    bind(pair, { find: (input: RegExp) => ({ found: input.test('a') }), remove });
    // @ts-expect-error The limit has a default, so it is a number.
    bind(pair, { find: ({ limit }: { limit: string }) => ({ found: limit === '' }), remove });
  });

  it('with another output do not compile', () => {
    // @ts-expect-error The output is an object, not a date.
    bind(pair, { find: () => new Date(0), remove });
    // @ts-expect-error The output lacks `found`.
    bind(pair, { find: () => Promise.resolve({ of: 1 }), remove });
    // @ts-expect-error A reply says what its JSON is.
    bind(pair, { find: () => Reply.json({ found: 'yes' }), remove });
  });

  it('are complete, otherwise they do not compile and do not start', () => {
    // @ts-expect-error There is no handler of `find`.
    assert.throws(() => bind(pair, { remove }), /keys\.find has no handler find/);
    const find = () => ({ found: true });
    // @ts-expect-error There is no contract for `add`.
    bind(pair, { find, remove, add: find });
  });

  it('of all services have subjects of their own', () => {
    const services: Readonly<Record<ServiceName, Contracts>> = serviceContracts;
    const all = [...Object.values(services).flatMap((own) => Object.values(own)), ...Object.values(streamsRpc)];
    assert.equal(new Set(all.map((one) => subjects.rpc(one))).size, all.length);
    for (const [service, own] of Object.entries(services)) {
      assert.ok(Object.values(own).every((one) => one.service === service));
    }
  });
});
