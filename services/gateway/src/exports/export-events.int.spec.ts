import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import {
  DomainError,
  type ExportManifest,
  exportQuery,
  exportResponse,
  exportRpc,
  type ExportState,
  keysRpc,
} from '@almanac/contracts';
import { eventually, suspendProcess } from '@almanac/testing';
import { unixMicros } from '@almanac/runtime';
import { streamsMax } from '../http/event-streams.js';
import { nameOf } from '../testing/service-stubs.js';
import { type RunningGateway, startSystem, type TestSystem } from '../testing/gateway.js';
import type { TestKey } from '../testing/keys-stub.js';

const noTarget = { event: null, ticker: null, series: null, day: null };

interface Reported {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: ReturnType<typeof exportResponse.parse>;
}

/** A client of server-sent events as the HTML specification defines them. */
const listen = async (gateway: RunningGateway, key: TestKey, id: string, headers: Record<string, string> = {}) => {
  const leaving = new AbortController();
  const { signal } = leaving;
  const response = await gateway.request(`/exports/${id}/events`, key, { headers, signal });
  const sentEvents: Reported[] = [];
  const read = async (): Promise<void> => {
    let rest = '';
    for await (const part of response.body ?? []) {
      const blocks = (rest + Buffer.from(part).toString('utf8')).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
        const [event, data] = [fields.get('event'), fields.get('data')];
        if (event === undefined || data === undefined) continue;
        sentEvents.push({ event, id: fields.get('id'), data: exportResponse.strict().parse(JSON.parse(data)) });
      }
    }
  };
  const ended = response.status === 200 ? read() : Promise.resolve();
  ended.catch(() => undefined);
  return { response, sentEvents, ended, leave: () => leaving.abort() };
};

let system: TestSystem;
before(async () => {
  system = await startSystem();
});
after(() => system.stop());

describe('the event stream of an export', () => {
  let key: TestKey;
  let linked = true;
  let manifest: ExportManifest | null = null;
  before(() => {
    key = system.edge.keys.createKey();
    system.edge.handlers.set(nameOf(exportRpc.link), () => {
      if (!linked) throw new DomainError('unavailable', 'Not now.');
      const nowUs = unixMicros();
      return { url: 'http://127.0.0.1:1/x', expires_us: nowUs + 60e6, renew_us: nowUs + 30e6, manifest };
    });
  });

  const put = (id: string, status: ExportState['status'], file_key = id): Promise<number> => {
    const target = { ...noTarget, event: 'E', series: 'S' };
    const query = { ...target, streams: ['l2' as const], format: 'csv' as const };
    const common = {
      id,
      account: key.account,
      query: query,
      grant: 'plan' as const,
      filename: 'f.csv',
      requested_us: 1,
    };
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
  const namesOf = (sentEvents: readonly Reported[]) => sentEvents.map(({ event }) => event);
  const polled = async (id: string) =>
    exportResponse.strict().parse(await (await system.request(`/exports/${id}`, key)).json());

  it('shows its status, its progress and its end like a poll, then ends', async () => {
    const { id, seq } = await created('pending');
    const { response, sentEvents, ended } = await listen(system, key, id);
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    await eventually(() => assert.equal(sentEvents.length, 1));
    assert.deepEqual(
      [sentEvents[0]?.event, sentEvents[0]?.id, sentEvents[0]?.data],
      ['pending', String(seq), await polled(id)],
    );
    progress(id, 25);
    await eventually(() => assert.equal(sentEvents.length, 2));
    const { event, id: noId, data } = sentEvents[1] ?? assert.fail();
    assert.deepEqual([event, noId, data.rows_done, data.progress], ['progress', undefined, 25, 0.25]);
    assert.deepEqual(data, await polled(id));
    const end = await put(id, 'ready');
    await ended;
    const last = sentEvents.at(-1);
    assert.deepEqual([last?.event, last?.id, last?.data.progress], ['ready', String(end), 1]);
    assert.equal(last?.data.download_url, 'http://127.0.0.1:1/x');
    assert.deepEqual(namesOf(sentEvents), ['pending', 'progress', 'ready']);
  });

  it('shows the progress of its own file, at most once a second', async () => {
    const { id } = await created('pending');
    const { sentEvents, ended } = await listen(system, key, id);
    await eventually(() => assert.equal(sentEvents.length, 1));
    for (let rows = 1; rows <= 50; rows += 1) {
      progress(id, rows);
      progress(randomUUID(), 99);
    }
    await eventually(async () => assert.equal((await polled(id)).rows_done, 50));
    await put(id, 'failed');
    await ended;
    // Progress reports of one moment become one event. On a slow machine the moment may be longer.
    assert.ok(sentEvents.length < 13, String(sentEvents.length));
    assert.equal(sentEvents.at(-1)?.data.error, 'The archive broke.');
    assert.ok(sentEvents.every(({ data }) => (data.rows_done ?? 0) <= 50));
  });

  it('shows the end of an export of many markets, whose manifest has more bytes than may wait for a client', async () => {
    const { id } = await created('pending');
    const { sentEvents, ended } = await listen(system, key, id);
    const query = exportQuery.parse({ ...noTarget, series: 'S', day: '2026-02-24', streams: ['l2'], format: 'csv' });
    const markets = Array.from({ length: 20_000 }, (_, at) => ({ ticker: `S-${at}`, data_version: 1, rows: 1 }));
    manifest = { query, schema_version: 1, markets, row_count: markets.length, gaps: [], gaps_n: 0 };
    try {
      await put(id, 'ready');
      await ended;
      assert.deepEqual(sentEvents.at(-1)?.data.manifest?.markets, markets);
    } finally {
      manifest = null;
    }
  });

  it('skips events that the client already has, and sends none after the end', async () => {
    const { id, seq } = await created('pending');
    const from = (last: number | string) => listen(system, key, id, { 'last-event-id': String(last) });
    const [again, older, nonsense] = [await from(seq), await from(seq - 1), await from('x')];
    await eventually(() => assert.deepEqual([older.sentEvents.length, nonsense.sentEvents.length], [1, 1]));
    assert.equal(again.sentEvents.length, 0);
    const end = await put(id, 'cancelled');
    await Promise.all([again.ended, older.ended, nonsense.ended]);
    assert.deepEqual(namesOf(again.sentEvents), ['cancelled']);
    assert.deepEqual(namesOf(older.sentEvents), ['pending', 'cancelled']);
    const afterEnd = await from(seq);
    await afterEnd.ended;
    assert.deepEqual(namesOf(afterEnd.sentEvents), ['cancelled']);
    assert.equal((await from(end)).response.status, 204);
  });

  it('shows an end that comes before, during or after the start of the stream', async () => {
    await Promise.all(
      Array.from({ length: 15 }, async () => {
        const { id } = await created('pending');
        const [{ sentEvents, ended }] = await Promise.all([listen(system, key, id), put(id, 'failed')]);
        await ended;
        assert.equal(sentEvents.at(-1)?.event, 'failed');
        assert.ok(sentEvents.length <= 2);
      }),
    );
  });

  it('is refused with 429 above the limit of streams for an account, until one is closed', async () => {
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

  it('ends when a key of the account is revoked, and when the gateway stops', async () => {
    const { id } = await created('pending');
    const another = await system.another();
    const there = await listen(another, key, id);
    await eventually(() => assert.equal(there.sentEvents.length, 1));
    await another.stop();
    await there.ended;
    const here = await listen(system, key, id);
    await eventually(() => assert.equal(here.sentEvents.length, 1));
    await system.edge.keys.revoke({ ...key, id: 'another-key' });
    await here.ended;
    assert.deepEqual([namesOf(there.sentEvents), namesOf(here.sentEvents)], [['pending'], ['pending']]);
    const { response, leave } = await listen(system, key, id);
    assert.equal(response.status, 200);
    leave();
  });

  it('ends when its key is revoked while it opens', async () => {
    const owner = key;
    try {
      key = system.edge.keys.createKey();
      const { id } = await created('pending');
      const lookups = system.edge.callsOf(keysRpc.authenticate);
      // The request waits for Redis between its authentication and the opening of its stream.
      const resume = await suspendProcess(system.redis.pid);
      try {
        const listening = listen(system, key, id);
        await eventually(() => assert.equal(system.edge.callsOf(keysRpc.authenticate), lookups + 1));
        await system.edge.keys.revoke(key);
        const { response, ended } = await listening;
        assert.equal(response.status, 200);
        await ended;
      } finally {
        resume();
      }
    } finally {
      key = owner;
    }
  });

  it('breaks the connection when an event cannot be shown now, and shows it after a reconnect', async () => {
    linked = false;
    const { id, seq } = await created('pending');
    const broken = await listen(system, key, id);
    await eventually(() => assert.equal(broken.sentEvents.length, 1));
    await put(id, 'ready');
    await assert.rejects(broken.ended);
    linked = true;
    const again = await listen(system, key, id, { 'last-event-id': String(seq) });
    await again.ended;
    assert.deepEqual(namesOf(again.sentEvents), ['ready']);
  });

  it('answers HEAD without a stream', async () => {
    const { id } = await created('pending');
    const head = await system.request(`/exports/${id}/events`, key, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/event-stream']);
  });
});

describe('POST /exports?dry_run=true', () => {
  before(() => {
    system.edge.handlers.set(nameOf(exportRpc.create), (input) => ({ created: input }));
    system.edge.handlers.set(nameOf(exportRpc.quote), (input) => ({ quoted: input }));
  });

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
    use_free_credit: true,
  };

  it('returns a quote and creates nothing', async () => {
    const quote = await post('/exports?dry_run=true', { event: 'E' });
    assert.deepEqual(quote, { status: 200, body: { quoted: exportBody } });
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
    const places = (body as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc.join('.'));
    assert.deepEqual(places, ['query.dry_run', 'body.format']);
  });
});
