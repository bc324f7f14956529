import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createHealth, readiness, serveHealth } from './health.js';

describe('the readiness of a process', () => {
  const health = createHealth();
  let served: Awaited<ReturnType<typeof serveHealth>>;
  const requestPath = async () => {
    const answer = await fetch(`http://127.0.0.1:${served.port}/readyz`);
    return [answer.status, await answer.json()];
  };
  before(async () => {
    served = await serveHealth(health, { host: '127.0.0.1', port: 0 });
  });
  after(() => served.server.close());

  it('requires every check, and a finished start', async () => {
    let database: string | null = null;
    health.checks.set('database', () => database);
    assert.deepEqual(await requestPath(), [503, { ready: false, checks: { process: 'not serving', database: 'ok' } }]);
    health.serving = true;
    assert.deepEqual(await requestPath(), [200, { ready: true, checks: { process: 'ok', database: 'ok' } }]);
    database = 'the database is unavailable';
    assert.deepEqual(await requestPath(), [503, { ready: false, checks: { process: 'ok', database } }]);
    health.checks.delete('database');
  });

  it('ignores optional checks, which it reports as degraded while they fail', async () => {
    let cache: string | null = null;
    health.degradable.set('cache', async () => Promise.resolve(cache));
    assert.deepEqual(await requestPath(), [200, { ready: true, checks: { process: 'ok' } }]);
    cache = 'the cache is unavailable';
    assert.deepEqual(await requestPath(), [200, { ready: true, checks: { process: 'ok' }, degraded: { cache } }]);
    health.degradable.delete('cache');
  });

  it('counts a check that throws or does not answer as failed', async () => {
    health.checks.set('throws', () => Promise.reject(new Error('refused')));
    health.degradable.set('hangs', () => new Promise(() => undefined));
    assert.deepEqual(await readiness(health), {
      ready: false,
      checks: { process: 'ok', throws: 'refused' },
      degraded: { hangs: 'no answer within 2000 ms' },
    });
  });
});
