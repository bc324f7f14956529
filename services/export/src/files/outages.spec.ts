import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClickHouseError, QueryTimeoutError } from '@almanac/clickhouse';
import { Registry } from 'prom-client';
import { userMessageOf } from './classify-errors.js';
import { fileMetrics } from './metrics.js';
import { retryDuringOutages } from './outages.js';

const timedOut = () => new QueryTimeoutError(30_000);
const stopped = () => new ClickHouseError({ message: 'Timeout exceeded', code: '159', type: 'TIMEOUT_EXCEEDED' });
const overloaded = () =>
  new ClickHouseError({ message: 'Too many queries', code: '202', type: 'TOO_MANY_SIMULTANEOUS_QUERIES' });

describe('work on a file', () => {
  const options = {
    clickhouse: { ping: () => Promise.resolve() },
    log: { warn: () => undefined },
    metrics: fileMetrics(new Registry()),
    pauseMs: () => 0,
  };
  /** Runs work that fails with these errors, one after the other, and then succeeds. */
  const run = async (errors: readonly Error[]) => {
    let tries = 0;
    const outcome = retryDuringOutages(options, { key: 'k', signal: new AbortController().signal }, () => {
      const error = errors[tries];
      tries += 1;
      return error === undefined ? Promise.resolve('done') : Promise.reject(error);
    });
    return { result: await outcome.catch((error: unknown) => error), tries };
  };

  for (const error of [timedOut, stopped]) {
    it(`that always ends with ${error().name} fails after five tries, with the reason for its account`, async () => {
      const { result, tries } = await run(Array.from({ length: 20 }, (): Error => error()));
      assert.equal(tries, 5);
      assert.match(userMessageOf(result), /took too long to read.*You were not charged/);
    });
  }

  it('waits for as long as ClickHouse is overloaded or unavailable', async () => {
    assert.deepEqual(await run(Array.from({ length: 40 }, overloaded)), { result: 'done', tries: 41 });
  });

  it('begins to count again when a try ends with another outage', async () => {
    const four = Array.from({ length: 4 }, timedOut);
    assert.equal((await run([...four, overloaded(), ...four])).result, 'done');
  });
});
