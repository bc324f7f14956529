import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { after, before, describe, it } from 'node:test';
import { type DnsServer, startDnsServer } from '../testing/dns-server.js';
import { publicResolve } from './resolve.js';

describe('names of receivers', { timeout: 60_000 }, () => {
  let dns: DnsServer;
  before(async () => {
    dns = await startDnsServer(0);
  });
  after(() => dns.stop());
  const resolved = (name: string): Promise<LookupAddress[]> =>
    new Promise((resolve, reject) => {
      publicResolve([dns.address])(name, (error, found) => (error === null ? resolve(found) : reject(error)));
    });

  it('have all their addresses of both kinds, also by an alias', async () => {
    dns.answers.set('both.example', [['8.8.8.8', '127.0.0.1', '::1']]);
    dns.answers.set('alias.example', [['both.example']]);
    for (const name of ['both.example', 'alias.example'])
      assert.deepEqual(await resolved(name), [
        { address: '8.8.8.8', family: 4 },
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]);
  });

  it('are not found if no server has an address', async () => {
    await assert.rejects(resolved('nobody.example'), { code: 'ENOTFOUND' });
  });

  it('are found while sixteen others wait for silent servers, which are not called missing', async () => {
    dns.answers.set('quick.example', [['8.8.8.8']]);
    const sentBefore = dns.queries.length;
    let ended = 0;
    const silent = Array.from({ length: 16 }, async (_, number) => {
      await assert.rejects(resolved(`name${number}.silent`), { code: 'ETIMEOUT' });
      ended += 1;
    });
    while (dns.queries.length < sentBefore + 16) await new Promise(setImmediate);
    assert.deepEqual(await resolved('quick.example'), [{ address: '8.8.8.8', family: 4 }]);
    assert.equal(ended, 0);
    await Promise.all(silent);
  });
});
