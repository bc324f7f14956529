// It needs many clients and a minute, because few requests read while the server freezes. Every change runs the test of
// one such read: libs/bus/src/streams/read-stream.int.spec.ts.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '@almanac/contracts';
import { suspendProcess } from '@almanac/testing';
import { type ExportHarness, startRunningHarness } from '../testing/harness.js';

const freezes = 6;
/** Longer than a read of the stream waits for its answer. */
const frozenMs = 6_000;
const pauseMs = 1_500;
const clients = 12;

describe('exports while nats-server is frozen', { timeout: 280_000 }, () => {
  let harness: ExportHarness;
  before(async () => {
    harness = await startRunningHarness();
  });
  after(() => harness.close());

  it('are unavailable for creates and dry runs, and never an internal error', async () => {
    const { event } = await harness.change();
    const codes = new Set<string>();
    let isOver = false;
    const repeat = async (request: () => Promise<unknown>): Promise<void> => {
      while (!isOver) {
        await request().catch((error: unknown) => codes.add(error instanceof DomainError ? error.code : String(error)));
      }
    };
    const running = Array.from({ length: clients }, () => [
      repeat(() => harness.create({ event })),
      repeat(() => harness.quote({ event })),
    ]).flat();
    for (let freeze = 0; freeze < freezes; freeze += 1) {
      await delay(pauseMs);
      const resume = await suspendProcess(harness.fixture.natsPid);
      await delay(frozenMs);
      resume();
    }
    isOver = true;
    await Promise.all(running);
    assert.deepEqual([...codes], ['unavailable']);
  });
});
