import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { requestsTo } from './fuzz-requests.js';
import { table } from './table/table.js';
import { startConformanceHarness, type Who, type ConformanceHarness } from './harness.js';

/** The extra time beyond an endpoint's deadline: the test finds a hang, not a busy machine. */
const slackMs = 20_000;

/** Only a limited account creates keys, so that no account gets more keys than a real one. */
const accountFor = (path: string): { readonly who: Who } => ({ who: path === '/keys' ? 'crowded' : 'internal' });

/**
 * Sends random requests to every endpoint. Each answer must come in time, be no 5xx, and have the specified and the
 * published shape. A seed fixes the requests. ALMANAC_FUZZ_SEED sets it.
 */
export const fuzz = ({ runs, seed }: { readonly runs: number; readonly seed: number }): void => {
  const chosen = Number(process.env['ALMANAC_FUZZ_SEED'] ?? seed);
  void describe(`${runs} random requests to an endpoint (seed ${chosen})`, () => {
    let harness: ConformanceHarness;
    before(async () => {
      harness = await startConformanceHarness();
    });
    after(() => harness.stop());

    for (const endpoint of table) {
      const { method, path, deadlineMs } = endpoint;
      void it(`${method} ${path}`, async (test) => {
        const counts = new Map<number, number>();
        const property = fc.asyncProperty(requestsTo(endpoint), async (request) => {
          const { status, ms } = await harness.request({ ...accountFor(path), ...request });
          counts.set(status, (counts.get(status) ?? 0) + 1);
          assert.ok(ms < deadlineMs + slackMs, `it took ${ms.toFixed()} ms`);
        });
        await fc.assert(property, { numRuns: runs, seed: chosen });
        test.diagnostic([...counts].map(([status, count]) => `${count} x ${status}`).join(', '));
      });
    }
  });
};
