import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { attachNewerFormat, carryOver, newerFormatOf, parseCarrying, stringifyCarried } from './carried-fields.js';

const state = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('open'),
    lines: z.array(z.object({ id: z.string(), at: z.object({ us: z.int() }).nullable().default(null) })),
    byId: z.record(z.string(), z.object({ n: z.int() })).default({}),
  }),
  z.object({ status: z.literal('closed') }),
]);

/** A state of a newer release, with a new field at every depth. */
const stored = {
  status: 'open',
  note: { deep: [1] },
  lines: [
    { id: 'a', colour: 'red', at: { us: 1, zone: 'UTC' } },
    { id: 'b', colour: 'blue', at: null },
  ],
  byId: { x: { n: 1, tags: ['t'] } },
  ['__proto__2']: 1,
};

describe('a state of a newer release', () => {
  it('is stored again with every field, at every depth', () => {
    assert.deepEqual(JSON.parse(stringifyCarried(parseCarrying(state, stored))), stored);
  });

  it('has only known fields in every answer', () => {
    assert.deepEqual(JSON.parse(JSON.stringify(parseCarrying(state, stored))), state.parse(stored));
    assert.deepEqual(Object.keys(parseCarrying(state, stored)), Object.keys(state.parse(stored)));
  });

  it('passes its fields on to a state that is made from it by spreads', () => {
    const read = parseCarrying(state, stored);
    assert.ok(read.status === 'open');
    const [first, ...others] = read.lines;
    assert.ok(first !== undefined);
    const next = { ...read, lines: [...others, { ...first, id: 'c' }] };
    const [a, b] = stored.lines;
    assert.deepEqual(JSON.parse(stringifyCarried(next)), { ...stored, lines: [b, { ...a, id: 'c' }] });
  });

  it('passes its own fields on to a state that is written from its parts', () => {
    const read = parseCarrying(state, stored);
    attachNewerFormat(read, 7);
    const after = carryOver(read, state.parse({ status: 'closed' }));
    assert.deepEqual(JSON.parse(stringifyCarried(after)), { status: 'closed', note: { deep: [1] }, ['__proto__2']: 1 });
    assert.equal(newerFormatOf(after), 7);
  });

  it('cannot change a prototype', () => {
    const read = parseCarrying(state, JSON.parse('{"status":"closed","__proto__":{"status":"open"}}'));
    assert.equal(Object.getPrototypeOf(read), Object.prototype);
    assert.equal(stringifyCarried(read), '{"__proto__":{"status":"open"},"status":"closed"}');
  });

  it('is an ordinary state if it has no other fields', () => {
    const plain = { status: 'closed' };
    assert.deepEqual(Object.getOwnPropertySymbols(parseCarrying(state, plain)), []);
    assert.deepEqual(parseCarrying(z.unknown(), stored), stored);
  });
});
