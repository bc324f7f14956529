import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { exportRpc, quotedStatuses } from '@almanac/contracts';
import { z } from 'zod';
import { errorResponseOf } from './http/error-response.js';
import { failures } from './openapi/failures.js';
import { nameOf } from './testing/service-stubs.js';
import { startSystem, type TestSystem } from './testing/gateway.js';

describe('POST /exports?dry_run=true', () => {
  let system: TestSystem;
  before(async () => {
    system = await startSystem();
    system.edge.handlers.set(nameOf(exportRpc.create), (input) => ({ created: input }));
    system.edge.handlers.set(nameOf(exportRpc.quote), (input) => ({ quoted: input }));
  });
  after(() => system.stop());

  const post = async (path: string, body: object): Promise<{ status: number; body: unknown }> => {
    const key = system.edge.keys.createKey();
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
    const answer = await system.request(path, key, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  };
  const exportBody = {
    event: 'E',
    streams: ['snapshots', 'settlement'],
    format: 'csv',
    split: 'none',
    numbers: 'decimal',
    csv_formulas: 'keep',
  };

  it('returns a quote and creates nothing', async () => {
    assert.deepEqual(await post('/exports?dry_run=true', { event: 'E' }), {
      status: 200,
      body: { quoted: exportBody },
    });
    assert.equal(system.edge.callsOf(exportRpc.create), 0);
  });
  it('is a normal request when the parameter is false or absent', async () => {
    const created = { status: 200, body: { created: { ...exportBody, idempotency_key: 'k' } } };
    for (const path of ['/exports', '/exports?dry_run=0', '/exports?dry_run=true&dry_run=false']) {
      assert.deepEqual(await post(path, { event: 'E' }), created, path);
    }
  });
  it('reports its own fault before those of the body', async () => {
    const { status, body } = await post('/exports?dry_run=maybe', { format: 'x' });
    assert.equal(status, 422);
    assert.deepEqual(
      (body as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc),
      [
        ['query', 'dry_run'],
        ['body', 'format'],
      ],
    );
  });
  it('refuses a range that is too long or ends before it starts, before any service is called', async () => {
    const faultOf = async (from: string, to: string) => {
      const { status, body } = await post('/exports', { series: 'S', from, to });
      assert.equal(status, 422);
      return z.object({ detail: z.unknown() }).parse(body);
    };
    const calls = system.edge.callsOf(exportRpc.create);
    const at = { loc: ['body', 'to'] };
    const ge = 'Input should be greater than or equal to 2026-02-10';
    const early = { ...at, type: 'greater_than_equal', msg: ge, input: '2026-02-09', ctx: { ge: '2026-02-10' } };
    assert.deepEqual(await faultOf('2026-02-10', '2026-02-09'), { detail: [early] });
    const le = 'Input should be less than or equal to 2026-03-12';
    const late = { ...at, type: 'less_than_equal', msg: le, input: '2026-03-13', ctx: { le: '2026-03-12' } };
    assert.deepEqual(await faultOf('2026-02-10', '2026-03-13'), { detail: [late] });
    assert.equal(system.edge.callsOf(exportRpc.create), calls);
    const range = { series: 'S', from: '2026-02-10', to: '2026-03-12' };
    assert.equal((await post('/exports', range)).status, 200);
  });
  it('shows the statuses that the request would have', () => {
    for (const [code, status] of Object.entries(quotedStatuses)) {
      const known = failures[code as keyof typeof quotedStatuses];
      assert.equal(errorResponseOf(known.example).status, status, code);
    }
  });
});
