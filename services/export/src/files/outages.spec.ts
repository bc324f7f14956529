import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { ClickHouseError, QueryTimeoutError } from '@almanac/clickhouse';
import { Registry } from 'prom-client';
import { userMessageOf } from './classify-errors.js';
import { fileMetrics } from './metrics.js';
import { retryDuringOutages } from './outages.js';

const timedOut = () => new QueryTimeoutError(30_000);
const stopped = () => new ClickHouseError({ message: 'Timeout exceeded', code: '159', type: 'TIMEOUT_EXCEEDED' });
const overloaded = () =>
  new ClickHouseError({ message: 'Too many queries', code: '202', type: 'TOO_MANY_SIMULTANEOUS_QUERIES' });

/** Of the server that answers when it is asked why an answer broke off. */
let uptimeS: number;

const ofSocket = (code: string) => Object.assign(new Error(code), { code });

describe('work on a file', () => {
  beforeEach(() => {
    uptimeS = 3_600;
  });
  const options = {
    clickhouse: { uptimeS: () => Promise.resolve(uptimeS) },
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

  it('waits for a server that is back before it is asked: no connection is no refusal', async () => {
    for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH'])
      assert.deepEqual(await run([ofSocket(code), ofSocket(code)]), { result: 'done', tries: 3 }, code);
  });

  it('waits for a server that has started since the answer began', async () => {
    uptimeS = 0;
    assert.deepEqual(await run([ofSocket('ECONNRESET')]), { result: 'done', tries: 2 });
  });

  it('fails when a server that was there before breaks the answer off', async () => {
    const error = ofSocket('ECONNRESET');
    assert.deepEqual(await run([error, error]), { result: error, tries: 1 });
  });

  it('begins to count again when a try ends with another outage', async () => {
    const four = Array.from({ length: 4 }, timedOut);
    assert.equal((await run([...four, overloaded(), ...four])).result, 'done');
  });
});
