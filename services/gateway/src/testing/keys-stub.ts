import { type Bus, subjects } from '@almanac/bus';
import { DomainError, keysRpc, type PlanId } from '@almanac/contracts';
import { formatApiKey, newAccountId, newKeyId, newSecret, parseApiKey, secretHash } from '@almanac/runtime';
import type { Append, StubHandler } from './stub-types.js';

export interface TestKey {
  readonly account: string;
  readonly id: string;
  readonly text: string;
}

export interface KeysStub {
  readonly authenticate: StubHandler;
  readonly checkKey: StubHandler;
  readonly endSession: StubHandler;
  createKey(plan?: PlanId): TestKey;
  /** A key that does not exist yet. */
  inventKey(): TestKey;
  admit(key: TestKey, plan: PlanId): void;
  /** From now on, the key reads the archive as of this time. Before its first use. */
  fence(key: TestKey, asOf: number): void;
  /** The same key with a wrong secret. */
  withAnotherSecret(key: TestKey): TestKey;
  /** Like the keys service: first the state, then its event. */
  revoke(key: TestKey): Promise<void>;
  changePlan(key: TestKey, plan: PlanId): Promise<void>;
  /** Stops and starts the heartbeat. Calls are still answered. */
  heartbeat(on: boolean): void;
  /** Makes the heartbeat report a sequence that is this much too high. 0 reports the correct one again. */
  runAhead(by: number): void;
  /** Reports these positions of other streams, too. */
  reportPositions(positions: Positions): void;
  stop(): void;
}

const heartbeatMs = 50;

interface Positions {
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

export const startKeysStub = (bus: Bus, append: Append): KeysStub => {
  const known = new Map<string, StoredKey>();
  const admit = ({ account, id, text }: TestKey, plan: PlanId): void => {
    known.set(id, { account, hash: secretHash(parseApiKey(text)?.secret ?? ''), plan, revoked: false, asOf: null });
  };
  const change = ({ id }: TestKey, to: { plan?: PlanId; revoked?: boolean; asOf?: number }): void => {
    const key = known.get(id);
    if (key !== undefined) known.set(id, { ...key, ...to });
  };
  const endedSessions = new Set<string>();
  const heartbeat = startHeartbeat(bus);
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
  return {
    authenticate: (input) => {
      const { key_id, secret_hash } = keysRpc.authenticate.input.parse(input);
      return holder(key_id, (hash) => hash === secret_hash);
    },
    checkKey: (input) => {
      const { key_id, session } = keysRpc.checkKey.input.parse(input);
      return holder(key_id, () => session === undefined || !endedSessions.has(session.id));
    },
    endSession: async (input, { account = '' }) => {
      endedSessions.add(keysRpc.endSession.input.parse(input).session.id);
      heartbeat.seq = await append(subjects.keyring(account), {}, account);
      return { ended: true };
    },
    createKey: (plan = 'pro') => {
      const key = inventKey();
      admit(key, plan);
      return key;
    },
    inventKey,
    admit,
    fence: (key, asOf) => change(key, { asOf }),
    withAnotherSecret: (key) => ({ ...key, text: formatApiKey({ keyId: key.id, secret: newSecret() }) }),
    revoke: async (key) => {
      change(key, { revoked: true });
      heartbeat.seq = await append(subjects.keyring(key.account), {}, key.account);
    },
    changePlan: async (key, plan) => {
      change(key, { plan });
      await append(subjects.account(key.account), {}, key.account);
    },
    heartbeat: (on) => void (heartbeat.on = on),
    runAhead: (by) => void (heartbeat.ahead = by),
    reportPositions: (positions) => void (heartbeat.others = positions),
    stop: () => clearInterval(heartbeat.timer),
  };
};

const inventKey = (): TestKey => {
  const account = newAccountId();
  const id = newKeyId(account);
  return { account, id, text: formatApiKey({ keyId: id, secret: newSecret() }) };
};

const startHeartbeat = (bus: Bus) => {
  const heartbeat = {
    seq: 0,
    ahead: 0,
    others: noPositions,
    on: true,
    timer: setInterval(() => {
      if (heartbeat.on)
        bus.nc.publish(
          subjects.keysHeartbeat,
          JSON.stringify({ seq: heartbeat.seq + heartbeat.ahead, ...heartbeat.others }),
        );
    }, heartbeatMs),
  };
  return heartbeat;
};
