import { setTimeout as delay } from 'node:timers/promises';
import { type Bus, subjects } from '@almanac/bus';
import type { RpcContext } from '@almanac/bus/server';
import { DomainError, keysRpc, type PlanId } from '@almanac/contracts';
import { formatApiKey, newAccountId, newKeyId, newSecret, parseApiKey, secretHash } from '@almanac/runtime';

/** The answer of a stub to one of its methods. */
export type StubHandler = (input: unknown, context: RpcContext) => unknown;

/** Appends an event with this state to a subject and returns its sequence. */
export type Append = (subject: string, state: unknown, account?: string, type?: string) => Promise<number>;

export interface TestKey {
  readonly account: string;
  readonly id: string;
  readonly text: string;
}

const heartbeatMs = 50;
/** Gateways use keys for 2 s without a heartbeat, and a position may be behind for half a second. */
const [lateMs, settleMs] = [400, 1_500];
const attemptsMax = 10;

export interface Positions {
  readonly commerce?: number | undefined;
  readonly archive?: number | readonly number[] | undefined;
  readonly catalog?: number | readonly number[] | undefined;
}
const noPositions: Positions = {};

interface StoredKey {
  readonly account: string;
  readonly hash: string;
  readonly plan: PlanId;
  readonly revoked: boolean;
  readonly asOf: number | null;
}

/** The keys service and its heartbeat. */
export const startKeysStub = (bus: Bus, append: Append) => {
  const { admit, change, holder } = keyStore();
  const endedSessions = new Set<string>();
  const heartbeat = startHeartbeat(bus);
  const authenticate: StubHandler = (input) => {
    const { key_id, secret_hash } = keysRpc.authenticate.input.parse(input);
    return holder(key_id, (hash) => hash === secret_hash);
  };
  const checkKey: StubHandler = (input) => {
    const { key_id, session } = keysRpc.checkKey.input.parse(input);
    return holder(key_id, () => session === undefined || !endedSessions.has(session.id));
  };
  const endSession: StubHandler = async (input, { account = '' }) => {
    endedSessions.add(keysRpc.endSession.input.parse(input).session.id);
    heartbeat.seq = await append(subjects.keyring(account), {}, account);
    return { ended: true };
  };
  return {
    authenticate,
    checkKey,
    endSession,
    createKey: (plan: PlanId = 'pro'): TestKey => {
      const key = inventKey();
      admit(key, plan);
      return key;
    },
    inventKey,
    admit,
    /** From now on, the key reads the archive as of this time. Before its first use. */
    fence: (key: TestKey, asOf: number) => change(key, { asOf }),
    withAnotherSecret: (key: TestKey): TestKey => ({
      ...key,
      text: formatApiKey({ keyId: key.id, secret: newSecret() }),
    }),
    /** Like the keys service: first the state, then its event. */
    revoke: async (key: TestKey): Promise<void> => {
      change(key, { revoked: true });
      heartbeat.seq = await append(subjects.keyring(key.account), {}, key.account);
    },
    changePlan: async (key: TestKey, plan: PlanId): Promise<void> => {
      change(key, { plan });
      await append(subjects.account(key.account), {}, key.account);
    },
    /** Stops and starts the heartbeat. Calls are still answered. */
    heartbeat: (on: boolean) => void (heartbeat.on = on),
    /** Makes the heartbeat report a sequence that is this much too high. 0 reports the correct one again. */
    runAhead: (by: number) => void (heartbeat.ahead = by),
    /** As if each heartbeat had been on its way for this long. */
    holdBack: (ms: number) => void (heartbeat.heldBackMs = ms),
    /** Reports these positions of other streams, too. */
    reportPositions: (positions: Positions) => void (heartbeat.others = positions),
    undisturbed: repeatIfLate(heartbeat),
    stop: () => clearInterval(heartbeat.timer),
  };
};

const keyStore = () => {
  const known = new Map<string, StoredKey>();
  const admit = ({ account, id, text }: TestKey, plan: PlanId): void => {
    known.set(id, { account, hash: secretHash(parseApiKey(text)?.secret ?? ''), plan, revoked: false, asOf: null });
  };
  const change = ({ id }: TestKey, to: { plan?: PlanId; revoked?: boolean; asOf?: number }): void => {
    const key = known.get(id);
    if (key !== undefined) known.set(id, { ...key, ...to });
  };
  const holder = (key_id: string, isRight: (hash: string) => boolean) => {
    const key = known.get(key_id);
    if (key === undefined || key.revoked || !isRight(key.hash)) {
      throw new DomainError(
        'unauthenticated',
        'The API key is not valid. Check that the key is complete and that it is not revoked.',
      );
    }
    return { account: key.account, key_id, plan: key.plan, as_of: key.asOf };
  };
  return { admit, change, holder };
};

/** A key that does not exist yet. */
const inventKey = (): TestKey => {
  const account = newAccountId();
  const id = newKeyId(account);
  return { account, id, text: formatApiKey({ keyId: id, secret: newSecret() }) };
};

const startHeartbeat = (bus: Bus) => {
  const heartbeat = {
    seq: 0,
    ahead: 0,
    heldBackMs: 0,
    others: noPositions,
    on: true,
    /** The longest time between two of them on their way through NATS. */
    silenceMs: 0,
    lastMs: performance.now(),
    timer: setInterval(() => {
      const clock = { sender: 'stub', sent_ms: performance.now() - heartbeat.heldBackMs, age_ms: 0 };
      const position = { seq: heartbeat.seq + heartbeat.ahead, ...heartbeat.others, clock };
      if (heartbeat.on) bus.nc.publish(subjects.keysHeartbeat, JSON.stringify(position));
    }, heartbeatMs),
  };
  bus.nc.subscribe(subjects.keysHeartbeat, {
    callback: () => {
      const nowMs = performance.now();
      heartbeat.silenceMs = Math.max(heartbeat.silenceMs, nowMs - heartbeat.lastMs);
      heartbeat.lastMs = nowMs;
    },
  });
  return heartbeat;
};

/**
 * Repeats a failed test in which heartbeats arrived late, as on a machine that is busy elsewhere: gateways then rightly
 * distrust what they have cached.
 */
const repeatIfLate =
  (heartbeat: ReturnType<typeof startHeartbeat>) =>
  async (test: () => Promise<void>): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      heartbeat.silenceMs = 0;
      try {
        return await test();
      } catch (error) {
        const silenceMs = Math.max(heartbeat.silenceMs, performance.now() - heartbeat.lastMs);
        if (silenceMs < lateMs || attempt === attemptsMax) throw error;
        Object.assign(heartbeat, { on: true, ahead: 0, heldBackMs: 0, others: noPositions });
        await delay(settleMs);
      }
    }
  };
