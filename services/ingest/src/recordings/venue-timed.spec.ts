import assert from 'node:assert/strict';
import { it } from 'node:test';
import { venues } from '../venues/venues.js';
import { venueTimed } from './venue-timed.js';

it('frames without any time do not wait without a limit: they are refused', () => {
  const { frames } = venues.kalshi;
  const timed = venueTimed({ ...frames, timeOf: () => null }, frames.reader());
  const refusals = [];
  for (let frame = 0; frame < 100_001; frame += 1) refusals.push(...timed.read('{}', {}));
  assert.equal(refusals.length, 100_001);
  assert.ok(refusals.every(({ kind }) => kind === 'refused'));
  assert.deepEqual(timed.end(), []);
});
