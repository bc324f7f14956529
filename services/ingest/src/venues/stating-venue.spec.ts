import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapNames, type VenueId, venueIds } from '@almanac/contracts';
import { statingVenue } from './stating-venue.js';
import { venues } from './venues.js';

test('whatever names a market of a venue states the venue, in a file and live', () => {
  for (const id of venueIds) {
    const { frames, candleFormats } = venues[id];
    const facts = [frames.reader().factOf('T-1'), ...candleFormats.map((format) => format.factOf('T-1'))];
    assert.deepEqual(new Set(facts.map(({ venue }) => venue)), new Set([id]));
  }
  const listed = {
    kalshi: { ticker: 'KXA-1', event_ticker: 'KXA', close_time: '2026-04-04T16:15:00Z', status: 'active' },
    polymarket: {
      slug: 'a',
      conditionId: '0xa',
      outcomes: '["Yes","No"]',
      question: 'A?',
      active: true,
      closed: false,
    },
  } as const satisfies Record<VenueId, object>;
  const stated = mapNames(venueIds, (id) =>
    venues[id].frames
      .reader()
      .read(1_000_000, JSON.stringify(listed[id]), listed[id])
      .map((message) => (message.kind === 'market' && message.fact.kind === 'market' ? message.fact.venue : null)),
  );
  assert.equal(stated.kalshi[0], 'kalshi');
  assert.equal(stated.polymarket.at(-1), 'polymarket');
});

test('a recording states the venue with its markets, and leaves other messages as they are', async () => {
  const fact = { kind: 'market', ticker: 'T-1' } as const;
  const messages = [
    { kind: 'activity', us: 1, sid: null, seq: null },
    { kind: 'market', us: 1, fact },
    { kind: 'market', us: 1, fact: { kind: 'series', id: 'S' } },
  ] as const;
  const open = () =>
    Promise.resolve({
      name: () => 'recording',
      factOf: () => fact,
      sizeBytes: 0,
      bytesRead: () => 0,
      blocks: async function* () {
        yield await Promise.resolve(messages);
      },
    });
  const folder = {
    is: () => Promise.resolve(true),
    folderOf: () => Promise.resolve(null),
    isRecord: () => false,
    open,
  };
  const { recorderFolder } = statingVenue('kalshi', { ...venues.polymarket, recorderFolder: folder });
  const source = await recorderFolder?.open('', () => true);
  assert.equal(source?.factOf('T-1').venue, 'kalshi');
  for await (const block of source?.blocks() ?? []) {
    assert.deepEqual(block, [messages[0], { ...messages[1], fact: { ...fact, venue: 'kalshi' } }, messages[2]]);
  }
});
