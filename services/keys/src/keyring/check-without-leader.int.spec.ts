import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AdminBus,
  connectBus,
  endOf,
  ensureHeartbeatStreams,
  ensureStream,
  type KeyMarks,
  keyMarks,
  rpcClient,
} from '@almanac/bus';
import { serveService } from '@almanac/bus/server';
import { DomainError, keysRpc, planTerms } from '@almanac/contracts';
import { jetStreamStore } from '@almanac/event-store';
import { createLogger, newKeyId, parseApiKey, secretHash } from '@almanac/runtime';
import { type ConfiguredNatsCluster, configuredNatsCluster, eventually } from '@almanac/testing';
import { keysController } from '../keys.controller.js';
import { recentChanges } from '../recent-changes.js';
import { openAccount } from '../testing/fixture.js';

/** Other tests may use both cores. */
const waitMs = 60_000;

interface Key {
  readonly keyId: string;
  readonly secret: string;
}

/** A call that waits for it must end, because the service waits for its calls before it stops. */
const lost = async (): Promise<never> => {
  await delay(5_000, undefined, { ref: false });
  throw new Error('timeout');
};

type Msg = Awaited<ReturnType<AdminBus['streams']['request']>>;

const unheard = (answer: Msg): Msg => {
  const info = answer.json<{ cluster?: { replicas?: { active: number }[] } }>();
  for (const replica of info.cluster?.replicas ?? []) replica.active = 5e9;
  const data = Buffer.from(JSON.stringify(info));
  return Object.create(answer, { data: { value: data }, json: { value: () => info } }) as Msg;
};

describe('a key on three nats-servers whose streams have no leader', { timeout: 300_000 }, () => {
  let cluster: ConfiguredNatsCluster;
  let buses: Record<'keys' | 'commerce' | 'gateway', AdminBus>;
  let marks: KeyMarks;
  let account: string;
  let key: Key;
  const stops: (() => Promise<void>)[] = [];
  const connect = async (user: keyof typeof buses): Promise<AdminBus> => {
    const bus = await connectBus({ url: cluster.url, user, password: cluster.passwordOf(user), replicas: 3 });
    stops.push(() => bus.close());
    return bus;
  };
  before(async () => {
    cluster = await configuredNatsCluster();
    stops.push(() => cluster.stop());
    await cluster.allHealthy();
    buses = { keys: await connect('keys'), commerce: await connect('commerce'), gateway: await connect('gateway') };
    const { keys: bus, commerce } = buses;
    await eventually(() => ensureStream(commerce, 'EVT_COMMERCE'), { timeoutMs: waitMs });
    await eventually(() => ensureStream(bus, 'EVT_KEYS'), { timeoutMs: waitMs });
    await eventually(() => ensureHeartbeatStreams(bus), { timeoutMs: waitMs });
    marks = keyMarks(bus);
    await eventually(() => marks.mark(0, 2_000), { timeoutMs: waitMs });
    const deps = { bus, store: jetStreamStore(bus), marks, changes: recentChanges(), plans: planTerms.parse('{}') };
    const handlers = keysController({ ...deps, uses: () => Promise.resolve(new Map()) });
    const serving = await serveService(bus, 'keys', handlers, createLogger('test', 'silent'));
    stops.push(() => serving.stop());
    account = await openAccount(commerce, 'pro');
    key = await newKey('first');
  });
  after(async () => {
    for (const stop of stops.toReversed()) await stop();
  });
  afterEach(() => {
    leader.answers();
  });

  let restore = (): void => undefined;
  const changeRequests = (change: (subject: string, send: () => Promise<Msg>) => Promise<Msg>): void => {
    const { streams } = buses.keys;
    const request = streams.request.bind(streams);
    streams.request = (subject, ...others) => change(subject, () => request(subject, ...others));
    restore = () => void (streams.request = request);
  };
  const leader = {
    /** Requests of the keys service are lost, as when it is gone. Replicas and marks answer meanwhile. */
    isSilent: () =>
      changeRequests((subject, send) => (subject.startsWith('$JS.API.STREAM.MSG.GET.') ? lost() : send())),
    /** It answers as a leader that last heard from the others 5 s ago. */
    isCutOff: () =>
      changeRequests(async (subject, send) =>
        subject.startsWith('$JS.API.STREAM.INFO.') ? unheard(await send()) : send(),
      ),
    answers: () => restore(),
  };
  /** The streams of heartbeats are out of reach, and those of keys are not. */
  const majorityIsSilent = () =>
    changeRequests((subject, send) => (subject.toLowerCase().includes('heartbeat') ? lost() : send()));
  const call = <Result>(send: () => Promise<Result>): Promise<Result> => eventually(send, { timeoutMs: waitMs });
  const own = () => ({ requestId: 'test', account });
  const newKey = async (name: string): Promise<Key> => {
    const input = { name, idempotency_key: name, seed: name.padEnd(32, '.') };
    const { secret } = await call(() => rpcClient(buses.gateway).call(keysRpc.create, { input, context: own() }));
    return parseApiKey(secret ?? '') ?? assert.fail('no key');
  };
  const revoke = ({ keyId }: Key) =>
    call(() => rpcClient(buses.gateway).call(keysRpc.revoke, { input: { key_id: keyId }, context: own() }));
  const check = ({ keyId, secret }: Key, knowsProvisional = true) => {
    const input = { key_id: keyId, secret_hash: secretHash(secret), knows_as_of: true };
    const known = knowsProvisional ? { ...input, knows_provisional: true } : input;
    const context = { requestId: 'test', timeoutMs: 2_000 };
    return rpcClient(buses.gateway).call(keysRpc.authenticate, { input: known, context });
  };
  const isAccepted = (accepted: Key, provisional: boolean) =>
    call(async () =>
      assert.deepEqual(await check(accepted), {
        account,
        key_id: accepted.keyId,
        plan: 'pro',
        as_of: null,
        ...(provisional && { provisional }),
      }),
    );
  const isRefused = (refused: Key) =>
    call(() =>
      assert.rejects(check(refused), (error) => error instanceof DomainError && error.code === 'unauthenticated'),
    );
  const hasNoAnswer = (unanswered: Promise<unknown>) =>
    assert.rejects(unanswered, (error) => error instanceof DomainError && error.code === 'unavailable');

  it('is accepted for a moment, which the answer says', async () => {
    await isAccepted(key, false);
    leader.isSilent();
    await isAccepted(key, true);
    leader.answers();
    await isAccepted(key, false);
  });

  it('is refused with a wrong secret, and after its revocation was answered', async () => {
    const revoked = await newKey('revoked');
    await revoke(revoked);
    leader.isSilent();
    await isRefused(revoked);
    await isRefused({ ...key, secret: revoked.secret });
    await isAccepted(key, true);
  });

  it('is not accepted by a replica that lacks what was answered, until it has it', async () => {
    const [end = 0] = await endOf(buses.keys, 'EVT_KEYS');
    await marks.mark(end + 1, waitMs);
    leader.isSilent();
    await hasNoAnswer(check(key));
    leader.answers();
    await newKey('next');
    leader.isSilent();
    await isAccepted(key, true);
  });

  it('is not said to be unknown by a leader that is cut off', async () => {
    const unknown = { ...key, keyId: newKeyId(account) };
    const remove = () =>
      rpcClient(buses.gateway).call(keysRpc.revoke, { input: { key_id: unknown.keyId }, context: own() });
    await isRefused(unknown);
    leader.isCutOff();
    await Promise.all([hasNoAnswer(check(unknown)), hasNoAnswer(check(unknown, false)), hasNoAnswer(remove())]);
    await isAccepted(key, false);
    leader.answers();
    await isRefused(unknown);
    await call(() =>
      assert.rejects(remove(), (error) => error instanceof DomainError && error.code === 'key_not_found'),
    );
  });

  it('is not accepted after a second without a majority, because it may be revoked on the other side', async () => {
    majorityIsSilent();
    await eventually(() => Promise.all([hasNoAnswer(check(key)), hasNoAnswer(check(key, false))]), {
      timeoutMs: waitMs,
    });
    leader.answers();
    await isAccepted(key, false);
  });

  it('is not refused because a replica has none, and not accepted for a gateway of a release before', async () => {
    const unknown = { ...key, keyId: newKeyId(account) };
    leader.isSilent();
    await Promise.all([hasNoAnswer(check(unknown)), hasNoAnswer(check(key, false))]);
    leader.answers();
    await isRefused(unknown);
    await call(() => check(key, false));
  });
});
