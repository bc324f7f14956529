// A release and the next one for minutes. `libs/event-store/src/newer-release.int.spec.ts` has the rules, without services.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connectBus, durables, patterns, readSubjects } from '@almanac/bus';
import { cartResponse, exportResponse, keysRpc, marketsResponse, type StreamName } from '@almanac/contracts';
import { accountOfKey, parseApiKey } from '@almanac/runtime';
import {
  connectOperator,
  environmentOf,
  type RunningService,
  startServiceProcess,
  storeGeneratedArchive,
} from '@almanac/operator';
import { eventually, seededRandom } from '@almanac/testing';
import { z } from 'zod';
import { type Answer, type ApiClient, poll } from '../api.js';
import { deadLetters, readStoredAccounts } from '../chaos/stored-state.js';
import { type SystemHarness, startHarness } from '../harness.js';

const unlimited = { requestsPerMinute: null, exportsPerDay: 100_000, exportsPending: 100_000, apiKeys: null };
const terms = { PLAN_TERMS: JSON.stringify({ full_book: unlimited }) };
const nextRelease = { NODE_OPTIONS: `--import ${new URL('next-release.js', import.meta.url).href}` };
const upgraded = ['keys', 'commerce', 'export'] as const;
type Upgraded = (typeof upgraded)[number];

/** Services of a release and of the next one, which knows more fields and types of events, for the same accounts. */
describe('a rolling upgrade', { timeout: 540_000 }, () => {
  let running: SystemHarness;
  let api: ApiClient;
  let events: string[];
  const next = new Map<Upgraded, RunningService>();
  const stopping = new AbortController();
  const counts = { requests: 0, refused: 0 };

  before(async () => {
    running = await startHarness({ environment: { commerce: terms, keys: terms, gateway: terms } });
    await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
    api = await running.client('full_book');
    const { markets } = await api.json(marketsResponse, '/markets?status=finalized&limit=200');
    events = [...new Set(markets.flatMap(({ event_ticker: event }) => event ?? []))];
  });
  after(async () => {
    stopping.abort();
    await Promise.all([...next.values()].map((one) => one.stop()));
    await running.stop();
  });

  const startNext = async (service: Upgraded): Promise<void> => {
    const { home, infrastructure, secrets } = running.system;
    const environment = {
      ...environmentOf(service, { home, infrastructure, secrets, port: 0 }),
      ...terms,
      ...nextRelease,
    };
    const name = `${service}-next`;
    const started = { service, name, home, environment, print: () => undefined, stopping: stopping.signal };
    next.set(service, await startServiceProcess(started));
  };
  const endNext = async (service: Upgraded): Promise<void> => {
    await next.get(service)?.stop();
    next.delete(service);
  };
  /** Sends a request until a process answers that can decide it. Each refusal says when to try again. */
  const send = async (path: string, init: Parameters<ApiClient['send']>[1] = {}): Promise<Answer> => {
    for (;;) {
      counts.requests += 1;
      const answer = await api.send(path, init);
      if (answer.status !== 503) return answer;
      counts.refused += 1;
      assert.ok(Number(answer.headers.get('retry-after')) > 0, answer.bytes.toString());
      await delay(20);
    }
  };
  const post = (path: string, body: object) => send(path, { method: 'POST', body: JSON.stringify(body) });
  const parsed = <S extends z.ZodType>(schema: S, { status, bytes }: Answer): z.output<S> => {
    assert.ok(status === 200 || status === 201, `${status} ${bytes.toString()}`);
    return schema.parse(JSON.parse(bytes.toString()));
  };
  const createExport = async (event: string, format = 'csv') =>
    parsed(exportResponse, await post('/exports', { event, format })).id;
  const becomesReady = (id: string) =>
    poll(
      async () => parsed(exportResponse, await send(`/exports/${id}`)),
      ({ status }) => status === 'ready',
    );
  const stored = async (stream: StreamName) => {
    const { infrastructure, secrets } = running.system;
    const bus = await connectOperator({ url: infrastructure.natsUrl, password: secrets.nats.operator });
    const all: { subject: string; type: string; state: unknown }[] = [];
    const onUnreadable = (error: unknown): void => assert.fail(String(error));
    try {
      for await (const { subject, event } of readSubjects(bus, {
        stream,
        filter: patterns.allOf(stream),
        onUnreadable,
      }))
        all.push({ subject, type: event.type, state: event.state });
      return all;
    } finally {
      await bus.close();
    }
  };

  it('erases no field of the next release, and every change is stored once', async (test) => {
    for (const service of upgraded) await startNext(service);
    const random = seededRandom(20_261_122);
    const keys = new Map<string, boolean>();
    const cart = new Set<string>();
    const exports: string[] = [];
    for (let step = 0; step < 90; step += 1) {
      const event = events[Math.floor(random() * events.length)] ?? assert.fail('no event');
      const kind = Math.floor(random() * 5);
      if (kind === 0) {
        const { id } = parsed(z.looseObject({ id: z.string() }), await post('/keys', { name: `key ${step}` }));
        keys.set(id, true);
      } else if (kind === 1) {
        const [id] = [...keys].find(([, active]) => active) ?? [];
        if (id === undefined) continue;
        assert.equal((await send(`/keys/${id}`, { method: 'DELETE' })).status, 200);
        keys.set(id, false);
      } else if (kind === 2) {
        parsed(cartResponse, await post('/cart/event-exports', { event }));
        cart.add(event);
      } else if (kind === 3) {
        const [line] = cart;
        if (line === undefined) continue;
        const removed = await send(`/cart/event-exports/${encodeURIComponent(line)}`, { method: 'DELETE' });
        assert.equal(removed.status, 200);
        cart.delete(line);
      } else exports.push(await createExport(event));
    }
    await Promise.all(exports.map(becomesReady));
    const listed = parsed(keysRpc.list.output, await send('/keys'));
    for (const [id, active] of keys)
      assert.equal(listed.keys.find((key) => key.id === id)?.status, active ? 'active' : 'revoked');
    assert.ok(!JSON.stringify(listed).includes('scope'), 'an answer has only the fields of its release');
    const { items } = z
      .looseObject({ items: z.array(z.looseObject({})) })
      .parse(JSON.parse((await send('/cart')).bytes.toString()));
    assert.equal(items.length, cart.size);
    const erased = await erasedFields();
    assert.deepEqual(erased.erased, []);
    assert.ok(
      Object.values(erased.carried).every((count) => count > 0),
      JSON.stringify(erased.carried),
    );
    assert.equal(await deadLetters(running.system), 0);
    test.diagnostic(JSON.stringify({ ...counts, ...erased.carried }));
  });

  /** Whether a field that one event of a subject has is missing in a later one, and how many events have such a field. */
  const erasedFields = async () => {
    const erased: string[] = [];
    const carried: Record<string, number> = {};
    const keyring = z.looseObject({ keys: z.array(z.looseObject({ id: z.string() })) });
    const namesIn = {
      EVT_KEYS: (state: unknown) =>
        keyring.parse(state).keys.flatMap(({ id, scope }) => (scope === 'next' ? [id] : [])),
      EVT_COMMERCE: (state: unknown) => (z.looseObject({}).parse(state)['note'] === 'next' ? ['note'] : []),
      EVT_EXPORT: (state: unknown) => (z.looseObject({}).parse(state)['tag'] === 'next' ? ['tag'] : []),
    };
    for (const [stream, namesOf] of Object.entries(namesIn)) {
      const seen = new Map<string, Set<string>>();
      for (const { subject, type, state } of await stored(stream as keyof typeof namesIn)) {
        const names = new Set(namesOf(state));
        for (const name of seen.get(subject) ?? [])
          if (!names.has(name)) erased.push(`${name} of ${subject} by ${type}`);
        seen.set(subject, names);
        carried[stream] = (carried[stream] ?? 0) + names.size;
      }
    }
    return { erased, carried };
  };

  it('acknowledges no event that only the next release knows, continues with others, and handles it after the upgrade', async () => {
    // Exports of the next release, whose ends the older commerce settles.
    await running.system.end('export');
    await endNext('commerce');
    // A new account: the older commerce may be unable to change the other one.
    api = await running.client('full_book');
    const account = accountOfKey((parseApiKey(api.key) ?? assert.fail('no key')).keyId);
    const [other = assert.fail('no event'), ...others] = events;
    const cancelled = await cancelOne(others);
    await becomesReady(await createExport(other, 'json'));
    const reservationsOf = async (name?: string) =>
      [...(await readStoredAccounts(running.system))]
        .filter(([one]) => name === undefined || one === name)
        .flatMap(([, { state }]) => Object.keys(state.reservations));
    await eventually(async () => assert.deepEqual(await reservationsOf(account), [cancelled]));
    assert.ok((await unacknowledged()) > 0);
    await startNext('commerce');
    await running.system.end('commerce');
    await eventually(async () => assert.deepEqual(await reservationsOf(), []));
    await eventually(async () => assert.equal(await unacknowledged(), 0));
    assert.equal(await deadLetters(running.system), 0);
  });

  /** Cancels an export whose file does not exist yet. */
  const cancelOne = async (from: readonly string[]): Promise<string> => {
    for (const event of from) {
      const id = await createExport(event, 'json');
      if ((await send(`/exports/${id}`, { method: 'DELETE' })).status === 200) return id;
    }
    return assert.fail('every export was ready before it could be cancelled');
  };
  const unacknowledged = async (): Promise<number> => {
    const { infrastructure, secrets } = running.system;
    const bus = await connectBus({ url: infrastructure.natsUrl, user: 'commerce', password: secrets.nats.commerce });
    try {
      const info = await bus.jsm.consumers.info('EVT_EXPORT', durables.commerceExports);
      return info.num_ack_pending + info.num_pending;
    } finally {
      await bus.close();
    }
  };
});
