import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { suspendProcess } from '@almanac/testing';
import { startExport } from './start.js';
import { testRuntime } from './testing/fixture.js';
import { type ExportHarness, startHarness } from './testing/harness.js';

const freezes = 6;
/** Longer than a read of the stream waits for its answer. */
const frozenMs = 6_000;
const pauseMs = 1_500;
const clients = 12;

describe('exports while nats-server is frozen', { timeout: 280_000 }, () => {
  let harness: ExportHarness;
  let event: string;
  const service = testRuntime();
  before(async () => {
    harness = await startHarness();
    await startExport(harness.fixture.config, service.runtime);
    ({ event } = await harness.change());
  });
  after(async () => {
    await service.stop();
    await harness.close();
  });

  it('are unavailable for creates and dry runs, and never an internal error', async () => {
    const failures = new Map<string, number>();
    let isOver = false;
    const repeat = async (request: () => Promise<unknown>): Promise<void> => {
      while (!isOver) {
        try {
          await request();
        } catch (error) {
          assert.ok(error instanceof DomainError);
          failures.set(error.code, (failures.get(error.code) ?? 0) + 1);
        }
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
    const other = [...failures].filter(([code]) => code !== 'unavailable');
    assert.deepEqual(other, []);
    assert.ok((failures.get('unavailable') ?? 0) > 0, 'no request met a freeze');
  });
});
