import assert from 'node:assert/strict';
import { polymarketMessages } from '../polymarket-messages.js';

const us = 1_778_796_500_000_000;

/** A gamma market with only its required fields. */
export const gammaMarket = (slug: string, tokens: readonly string[]): string =>
  JSON.stringify({
    slug,
    conditionId: '0x05c2',
    outcomes: '["Up", "Down"]',
    question: 'Bitcoin Up or Down - June 7, 7:55PM-8:00PM ET',
    endDate: '2026-06-08T00:00:00Z',
    clobTokenIds: JSON.stringify(tokens),
  });

/**
 * Follows the book of one market through messages, and checks that every top that the venue states is the top of the
 * book.
 */
export const followBook = (lines: readonly string[], announcement: string) => {
  const messages = polymarketMessages();
  messages.read(us, announcement);
  const book = { yes: new Map<number, number>(), no: new Map<number, number>() };
  let topsCompared = 0;
  for (const message of lines.flatMap((line) => messages.read(us, line))) {
    assert.notStrictEqual(message.kind, 'refused');
    if (message.kind === 'snapshot') for (const side of ['yes', 'no'] as const) book[side] = new Map(message[side]);
    if (message.kind === 'level') {
      if (message.size > 0) book[message.side].set(message.price, message.size);
      else book[message.side].delete(message.price);
    }
    if (message.kind !== 'top') continue;
    topsCompared += 1;
    assert.strictEqual(Math.max(...book.yes.keys()), message.bid);
    assert.strictEqual(1_000_000 - Math.max(...book.no.keys()), message.ask);
  }
  return { book, topsCompared };
};
