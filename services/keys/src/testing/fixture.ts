import { randomUUID } from 'node:crypto';
import { type Bus, connectBus, ensureStream, rpcClient, subjects, natsAccounts } from '@almanac/bus';
import { accountState, type KeySession, keysRpc, type PlanId, type UserName } from '@almanac/contracts';
import { jetStreamStore } from '@almanac/event-store';
import { redisRulesOf } from '@almanac/redis';
import {
  accountOfKey,
  createHealth,
  createLogger,
  newAccountId,
  parseApiKey,
  parseConfig,
  secretHash,
} from '@almanac/runtime';
import { testNats, testRedis } from '@almanac/testing';
import { config } from '../config.js';
import { startKeys } from '../start.js';

const password = 'test';

export type KeysFixture = Awaited<ReturnType<typeof startFixture>>;

/** A real nats-server with the users of production, and any number of instances of this service. */
export const startFixture = async (partitions = 1) => {
  const nats = await testNats({ accounts: natsAccounts(() => password, {}, partitions) });
  const redis = await testRedis({ users: [{ user: 'keys', password, rules: redisRulesOf('keys') }] });
  const connect = (user: UserName): Promise<Bus> => connectBus({ url: nats.url, user, password, partitions });
  const gateway = await connect('gateway');
  const commerce = await connect('commerce');
  const lines: string[] = [];
  const login = { NATS_USER: 'keys', NATS_PASSWORD: password };
  const settings = parseConfig(config, {
    ...login,
    NATS_URL: nats.url,
    NATS_PARTITIONS: String(partitions),
    REDIS_URL: redis.address,
    REDIS_USER: 'keys',
    REDIS_PASSWORD: password,
  });
  return {
    nats,
    redis,
    gateway,
    /** Everything that the service logged, at the lowest level. */
    logged: () => lines.join(''),
    /** Starts the service in this process. `stop` stops it like a process. */
    start: async () => {
      const stops: (() => Promise<void> | void)[] = [];
      const stop = async (): Promise<void> => {
        for (const end of stops.splice(0).toReversed()) await end();
      };
      const log = createLogger('keys', 'trace', { write: (line) => void lines.push(line) });
      try {
        const onStop = (_: string, end: () => Promise<void> | void) => void stops.push(end);
        await startKeys(settings, { log, health: createHealth(), onStop });
      } catch (error) {
        await stop();
        throw error;
      }
      return { stop };
    },
    /** Creates EVT_COMMERCE, as the commerce service does at its start. */
    startCommerce: () => ensureStream(commerce, 'EVT_COMMERCE'),
    openAccount: (plan: PlanId): Promise<string> => openAccount(commerce, plan),
    stop: async (): Promise<void> => {
      await Promise.all([gateway.close(), commerce.close()]);
      await Promise.all([nats.stop(), redis.stop()]);
    },
  };
};

/** Stores an account, as the commerce service does. */
export const openAccount = async (commerce: Bus, plan: PlanId): Promise<string> => {
  const account = newAccountId();
  const state = accountState.parse({ account, plan, ...unused });
  const event = { id: randomUUID(), type: 'AccountOpened', version: 1, time: 1, account, data: {}, state } as const;
  await jetStreamStore(commerce).append(subjects.account(account), event, 0);
  return account;
};

const unused = {
  credits_granted: 1,
  credits_used: 0,
  exports_today: { day: '1970-01-01', count: 0 },
  reservations: {},
  cart: [],
  checkout: null,
  customer_id: null,
  subscription: null,
};

export const callsOf = ({ gateway }: KeysFixture) => {
  const client = rpcClient(gateway);
  const context = (account?: string) => ({ requestId: randomUUID(), ...(account === undefined ? {} : { account }) });
  const authenticate = (key_id: string, secret: string, knows_as_of = true) =>
    client.call(keysRpc.authenticate, {
      input: { key_id, secret_hash: secretHash(secret), knows_as_of },
      context: context(),
    });
  return {
    authenticate,
    checkKey: (key_id: string, session?: KeySession, knows_as_of = true) =>
      client.call(keysRpc.checkKey, { input: { key_id, session, knows_as_of }, context: context() }),
    endSession: (key_id: string, session: KeySession) =>
      client.call(keysRpc.endSession, { input: { key_id, session }, context: context(accountOfKey(key_id)) }),
    enter: async (text: string | null, knowsAsOf = true) => {
      const key = parseApiKey(text ?? '');
      if (key === undefined) throw new Error('this text is no key');
      return authenticate(key.keyId, key.secret, knowsAsOf);
    },
    create: (account: string, name: string, idempotency_key?: string, seed?: string) =>
      client.call(keysRpc.create, { input: { name, idempotency_key, seed }, context: context(account) }),
    createFenced: (account: string, as_of: number, idempotency_key?: string) =>
      client.call(keysRpc.create, { input: { name: 'fenced', as_of, idempotency_key }, context: context(account) }),
    list: (account: string, cursor?: string | null) =>
      client.call(keysRpc.list, { input: { cursor }, context: context(account) }),
    revoke: (account: string, key_id: string) =>
      client.call(keysRpc.revoke, { input: { key_id }, context: context(account) }),
  };
};
