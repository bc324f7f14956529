import assert from 'node:assert/strict';
import { test } from 'node:test';
import { venueIds } from '@almanac/contracts';
import { statingVenue } from './stating-venue.js';
import type { FrameReader } from './venue.js';
import { venues } from './venues.js';

test('whatever names a market of a venue states the venue', () => {
  for (const id of venueIds) {
    const { frames, candleFormats } = venues[id];
    const facts = [frames.reader().factOf('T-1'), ...candleFormats.map((format) => format.factOf('T-1'))];
    assert.deepEqual(new Set(facts.map(({ venue }) => venue)), new Set([id]));
  }
});

test('what a reader of frames states about a market has the venue', () => {
  const message = { kind: 'market', us: 1, fact: { kind: 'market', ticker: 'T-1' } } as const;
  const reader = (): FrameReader => ({ name: 'frames', read: () => [message], factOf: () => message.fact });
  const { kalshi } = venues;
  const { frames } = statingVenue('polymarket', { ...kalshi, frames: { ...kalshi.frames, reader } });
  const stated = { ...message, fact: { ...message.fact, venue: 'polymarket' } };
  assert.deepEqual(frames.reader().read(1, ''), [stated]);
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
