import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { requestsTo } from './fuzz-requests.js';
import { table } from './table/table.js';
import { startConformanceHarness, type Who, type ConformanceHarness } from './harness.js';

/** A hang is to be found, not a busy machine: what an endpoint may take, and this on top. */
const slackMs = 20_000;

/** Creating goes on until the plan says no, so that no account ends up with more keys than anybody has. */
const accountFor = (path: string): { readonly who: Who } => ({ who: path === '/keys' ? 'crowded' : 'internal' });

/**
 * Asks every endpoint at random. Whatever is sent, the answer comes in time, is no 5xx, and has the specified and the
 * published shape. The same seed sends the same requests; ALMANAC_FUZZ_SEED sets it.
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
