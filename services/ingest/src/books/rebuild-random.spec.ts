import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyChangeUs } from '@almanac/contracts';
import { millionthsText } from '../values/millionths.js';
import type { BookMessage, Side } from '../model/feed-message.js';
import { rebuilt } from './testing/rebuild-books.js';

const place = (us: number, seq: number) => ({ us, venueUs: us - 5, ticker: 'A-1', sid: 1, seq });

/** A plain and slow replay: one map for each side, sorted at every message. */
const replayed = (messages: readonly BookMessage[]): Map<number, string> => {
  const states = new Map<number, string>();
  const sides: Record<Side, Map<number, number>> = { yes: new Map(), no: new Map() };
  const text = (side: Side) =>
    `[${Array.from(sides[side])
      .filter(([, size]) => size > 0)
      .toSorted(([a], [b]) => b - a)
      .map(([price, size]) => `(${millionthsText(price)},${millionthsText(size)})`)
      .join(',')}]`;
  for (const message of messages) {
    if (message.kind === 'snapshot') {
      sides.yes = new Map(message.yes);
      sides.no = new Map(message.no);
    } else if (message.kind === 'change') {
      const side = sides[message.side];
      side.set(message.price, (side.get(message.price) ?? 0) + message.by);
    } else if (message.kind === 'level') sides[message.side].set(message.price, message.size);
    else continue;
    states.set(message.us, `${text('yes')} ${text('no')}`);
  }
  return states;
};

test('in a random recording every row equals the book of a plain replay, and samples are some of these rows', () => {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const sizes: Record<Side, Map<number, number>> = { yes: new Map(), no: new Map() };
  const messages: BookMessage[] = [{ kind: 'snapshot', ...place(1, 1), yes: [], no: [] }];
  let us = 1;
  for (let seq = 2; seq < 800; seq += 1) {
    us += random(3) === 0 ? 0 : random(400_000);
    const side: Side = random(2) === 0 ? 'yes' : 'no';
    const price = (1 + random(999)) * 1_000;
    const known = sizes[side].get(price) ?? 0;
    const size = known > 0 && random(2) === 0 ? 0 : random(1_000_000_000);
    sizes[side].set(price, size);
    messages.push(
      random(2) === 0
        ? { kind: 'level', ...place(us, seq), side, price, size }
        : { kind: 'change', ...place(us, seq), side, price, by: size - known },
    );
  }
  const states = replayed(messages);
  const { rows, spans } = rebuilt(messages, everyChangeUs);
  assert.deepEqual(
    Array.from(spans.values(), ({ startUs, endUs }) => [startUs, endUs]),
    [[1, us]],
  );
  assert.deepEqual(new Map(rows.map((row) => [row.us, `${row.yes} ${row.no}`])), states);
  const sampled = rebuilt(messages, 1_000_000).rows;
  const lastOf = new Map(rows.map((row) => [Math.floor(row.us / 1_000_000), row]));
  assert.deepEqual(sampled, Array.from(lastOf.values()).slice(0, -1));
});
