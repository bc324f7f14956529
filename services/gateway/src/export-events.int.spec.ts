import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { DomainError, exportResponse, exportRpc, type ExportState } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { streamsMax } from './http/event-streams.js';
import { nameOf } from './testing/edge.js';
import { type RunningGateway, startSystem, type TestSystem } from './testing/gateway.js';
import type { TestKey } from './testing/keyring.js';

interface Told {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: ReturnType<typeof exportResponse.parse>;
}

/** A client of server-sent events, as the specification of HTML has them. */
const listen = async (gateway: RunningGateway, key: TestKey, id: string, headers: Record<string, string> = {}) => {
  const leaving = new AbortController();
  const { signal } = leaving;
  const response = await gateway.ask(`/exports/${id}/events`, key, { headers, signal });
  const told: Told[] = [];
  const read = async (): Promise<void> => {
    let rest = '';
    for await (const part of response.body ?? []) {
      const blocks = (rest + Buffer.from(part).toString('utf8')).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
        const [event, data] = [fields.get('event'), fields.get('data')];
        if (event === undefined || data === undefined) continue;
        told.push({ event, id: fields.get('id'), data: exportResponse.strict().parse(JSON.parse(data)) });
      }
    }
  };
  const ended = response.status === 200 ? read() : Promise.resolve();
  ended.catch(() => undefined);
  return { response, told, ended, leave: () => leaving.abort() };
};

describe('the events of an export', { timeout: 240_000 }, () => {
  let system: TestSystem;
  let key: TestKey;
  let linked = true;
  before(async () => {
    system = await startSystem();
    key = system.edge.keys.createKey();
    system.edge.answers.set(nameOf(exportRpc.link), () => {
      if (!linked) throw new DomainError('unavailable', 'Not now.');
      const nowUs = Date.now() * 1_000;
      return { url: 'http://127.0.0.1:1/x', expires_us: nowUs + 60e6, renew_us: nowUs + 30e6, manifest: null };
    });
  });
  after(() => system.stop());

  const put = (id: string, status: ExportState['status'], file_key = id): Promise<number> => {
    const target = { event: 'E', ticker: null, series: 'S', day: null };
    const question = { ...target, streams: ['l2' as const], format: 'csv' as const };
    const common = { id, account: key.account, question, grant: 'plan' as const, filename: 'f.csv', requested_us: 1 };
    const file = { storage_key: 's', bytes: 9, row_count: 7, markets: 2, sha256: 'h' };
    const more = { ready: { file, ready_us: 2 }, failed: { error: 'The archive broke.' } };
    const state = { ...common, file_key, status, ...(status === 'ready' || status === 'failed' ? more[status] : {}) };
    return system.edge.append(subjects.export(key.account, id), state, key.account);
  };
  const created = async (status: ExportState['status']) => {
    const id = randomUUID();
    return { id, seq: await put(id, status) };
  };
  const progress = (fileKey: string, rows_done: number) =>
    system.edge.publish(subjects.fileProgress(fileKey), { rows_done, rows: 100 });
  const namesOf = (told: readonly Told[]) => told.map(({ event }) => event);
  const polled = async (id: string) =>
    exportResponse.strict().parse(await (await system.ask(`/exports/${id}`, key)).json());

  it('tell where it is, how far it is, and its end, as a poll shows it; then the stream ends', async () => {
    const { id, seq } = await created('pending');
    const { response, told, ended } = await listen(system, key, id);
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    await eventually(() => assert.equal(told.length, 1));
    assert.deepEqual([told[0]?.event, told[0]?.id, told[0]?.data], ['pending', String(seq), await polled(id)]);
    progress(id, 25);
    await eventually(() => assert.equal(told.length, 2));
    const { event, id: noId, data } = told[1] ?? assert.fail();
    assert.deepEqual([event, noId, data.rows_done, data.progress], ['progress', undefined, 25, 0.25]);
    assert.deepEqual(data, await polled(id));
    const end = await put(id, 'ready');
    await ended;
    const last = told.at(-1);
    assert.deepEqual([last?.event, last?.id, last?.data.progress], ['ready', String(end), 1]);
    assert.equal(last?.data.download_url, 'http://127.0.0.1:1/x');
    assert.deepEqual(namesOf(told), ['pending', 'progress', 'ready']);
  });

  it('tell progress once a second at most, of its own file alone', async () => {
    const { id } = await created('pending');
    const { told, ended } = await listen(system, key, id);
    await eventually(() => assert.equal(told.length, 1));
    for (let rows = 1; rows <= 50; rows += 1) {
      progress(id, rows);
      progress(randomUUID(), 99);
    }
    await eventually(async () => assert.equal((await polled(id)).rows_done, 50));
    await put(id, 'failed');
    await ended;
    // The words of one moment make one event; a slow machine may stretch the moment.
    assert.ok(told.length < 13, String(told.length));
    assert.equal(told.at(-1)?.data.error, 'The archive broke.');
    assert.ok(told.every(({ data }) => (data.rows_done ?? 0) <= 50));
  });

  it('that a client knows are not told again, and none after the end', async () => {
    const { id, seq } = await created('pending');
    const from = (last: number | string) => listen(system, key, id, { 'last-event-id': String(last) });
    const [again, anew, nonsense] = [await from(seq), await from(seq - 1), await from('x')];
    await eventually(() => assert.deepEqual([anew.told.length, nonsense.told.length], [1, 1]));
    assert.equal(again.told.length, 0);
    const end = await put(id, 'cancelled');
    await Promise.all([again.ended, anew.ended, nonsense.ended]);
    assert.deepEqual(namesOf(again.told), ['cancelled']);
    assert.deepEqual(namesOf(anew.told), ['pending', 'cancelled']);
    const behind = await from(seq);
    await behind.ended;
    assert.deepEqual(namesOf(behind.told), ['cancelled']);
    assert.equal((await from(end)).response.status, 204);
  });

  it('are told of an end whenever it comes: before, while and after the stream begins', async () => {
    await Promise.all(
      Array.from({ length: 15 }, async () => {
        const { id } = await created('pending');
        const [{ told, ended }] = await Promise.all([listen(system, key, id), put(id, 'failed')]);
        await ended;
        assert.equal(told.at(-1)?.event, 'failed');
        assert.ok(told.length <= 2);
      }),
    );
  });

  it('of more exports at once than an account may follow are 429, until one is left', async () => {
    const { id } = await created('pending');
    const open = await Promise.all(Array.from({ length: streamsMax }, () => listen(system, key, id)));
    const refused = await listen(system, key, id);
    assert.deepEqual([refused.response.status, refused.response.headers.get('retry-after')], [429, '15']);
    assert.equal(((await refused.response.json()) as { code: string }).code, 'too_many_streams');
    open[0]?.leave();
    const late = await eventually(async () => {
      const next = await listen(system, key, id);
      assert.equal(next.response.status, 200);
      return next;
    });
    await put(id, 'failed');
    await Promise.all([...open.slice(1), late].map(({ ended }) => ended));
  });

  it('end when a key of the account is revoked, and with the gateway that stops', async () => {
    const { id } = await created('pending');
    const another = await system.another();
    const there = await listen(another, key, id);
    await eventually(() => assert.equal(there.told.length, 1));
    await another.stop();
    await there.ended;
    const here = await listen(system, key, id);
    await eventually(() => assert.equal(here.told.length, 1));
    await system.edge.keys.revoke({ ...key, id: 'another-key' });
    await here.ended;
    assert.deepEqual([namesOf(there.told), namesOf(here.told)], [['pending'], ['pending']]);
    const { response, leave } = await listen(system, key, id);
    assert.equal(response.status, 200);
    leave();
  });

  it('that cannot be shown now break the connection, and are told to the client that comes again', async () => {
    linked = false;
    const { id, seq } = await created('pending');
    const broken = await listen(system, key, id);
    await eventually(() => assert.equal(broken.told.length, 1));
    await put(id, 'ready');
    await assert.rejects(broken.ended);
    linked = true;
    const again = await listen(system, key, id, { 'last-event-id': String(seq) });
    await again.ended;
    assert.deepEqual(namesOf(again.told), ['ready']);
  });

  it('answer HEAD without a stream', async () => {
    const { id } = await created('pending');
    const head = await system.ask(`/exports/${id}/events`, key, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/event-stream']);
  });
});
