import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { keysRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { startSystem, type TestSystem } from '../testing/gateway.js';
import { nameOf } from '../testing/service-stubs.js';

describe('sessions', () => {
  let system: TestSystem;
  before(async () => {
    system = await startSystem({ TRUST_PROXY: 'loopback' });
    system.edge.handlers.set(nameOf(keysRpc.list), () => ({}));
  });
  after(() => system.stop());

  it('work at the host names of SESSION_HOSTS alone, while a key works at each', async () => {
    const key = system.edge.keys.createKey();
    const at = await system.another({ TRUST_PROXY: 'loopback', SESSION_HOSTS: 'almanac.example.com, other.example' });
    const behind = (host: string) => ({ 'x-forwarded-host': host });
    const loginAt = (host: string) =>
      fetch(`${at.url}/auth/session`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key.text}`, ...behind(host) },
      });
    const refused = await loginAt('rebound.example');
    assert.equal(refused.status, 403);
    assert.match(await refused.text(), /do not work at the host name rebound\.example\. Use almanac\.example\.com or/);
    const opened = await eventually(async () => {
      const response = await loginAt('ALMANAC.example.com:8443');
      assert.equal(response.status, 200);
      return response;
    });
    const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';');
    const statusAt = async (host: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(`${at.url}/api/v1/keys`, { headers: { ...behind(host), ...headers } })).status;
    assert.equal(await statusAt('other.example', { cookie }), 200);
    assert.equal(await statusAt('rebound.example', { cookie }), 403);
    assert.equal(await statusAt('rebound.example', { authorization: `Bearer ${key.text}` }), 200);
  });
});
