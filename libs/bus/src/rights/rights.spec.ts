import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { streams, userNames } from '@almanac/contracts';
import { rights } from './rights.js';

const streamOf = (subject: string): string | undefined =>
  Object.entries(streams).find(([, token]) => subject.startsWith(`evt.${token}.`))?.[0];

/** The users that have one of these rights for each stream. */
const usersByStream = (streamsOf: (user: (typeof userNames)[number]) => readonly (string | undefined)[]) =>
  Object.fromEntries(
    Object.keys(streams)
      .toSorted()
      .map((stream) => [stream, userNames.filter((user) => streamsOf(user).includes(stream))]),
  );

// ARCHITECTURE.md says it so.
describe('each stream', () => {
  it('has one user that creates it and appends to it, with two exceptions', () => {
    const one = {
      EVT_ARCHIVE: ['catalog', 'timeseries'],
      EVT_CATALOG: ['catalog'],
      EVT_COMMERCE: ['commerce'],
      EVT_EXPORT: ['export'],
      EVT_FILE: ['export'],
      EVT_KEYS: ['keys'],
      EVT_STRIPE: ['commerce'],
      EVT_WEBHOOK: ['webhooks'],
    };
    assert.deepEqual(
      usersByStream((user) => rights[user].owns ?? []),
      one,
    );
    assert.deepEqual(
      usersByStream((user) => (rights[user].appends ?? []).map(streamOf)),
      { ...one, EVT_EXPORT: ['export', 'commerce'] },
    );
  });
});
