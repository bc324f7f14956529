import { randomUUID, timingSafeEqual } from 'node:crypto';
import { type Bus, isValidId, Reply, subjects } from '@almanac/bus';
import { Rpc, type RpcContext } from '@almanac/bus/server';
import {
  type ApiKey,
  accountState,
  decodeCursor,
  DomainError,
  encodeCursor,
  keyringState,
  keysRpc,
  listingOf,
  type PlanId,
  type PlanTerms,
  readTimeOf,
  secondsOf,
  type StoredKey,
} from '@almanac/contracts';
import { type EventStore, execute, type CommandResult } from '@almanac/event-store';
import {
  accountOfKey,
  apiKeyPrefix,
  formatApiKey,
  newKeyId,
  newSecret,
  idempotentId,
  secretHash,
} from '@almanac/runtime';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';
import { isSessionEnded, type KeyringCommand, keyringDecider } from './keyring/keyring.decider.js';
import { type OlderKeys, olderKeys, positionAfter } from './keyring/older-keys.js';
import { boundHash } from './keyring/bound-hash.js';
import { BUS, PLANS, STORE, LAST_USES } from './keys-deps.js';
import type { LastUsedTimes } from './keyring/last-used.js';

type InputOf<Method extends keyof typeof keysRpc> = z.output<(typeof keysRpc)[Method]['input']>;
type OutputOf<Method extends keyof typeof keysRpc> = z.input<(typeof keysRpc)[Method]['output']>;
type Keyring = z.output<typeof keyringState>;

interface Holder {
  readonly key: StoredKey;
  readonly keyring: Keyring;
  readonly account: string;
  readonly key_id: string;
  readonly plan: PlanId;
  readonly as_of: number | null;
}

@Controller()
export class KeysController {
  constructor(
    @Inject(BUS) private readonly bus: Bus,
    @Inject(STORE) private readonly store: EventStore,
    @Inject(PLANS) private readonly plans: Readonly<Record<PlanId, PlanTerms>>,
    @Inject(LAST_USES) private readonly uses: LastUsedTimes,
  ) {}

  @Rpc(keysRpc.authenticate)
  async authenticate(input: InputOf<'authenticate'>): Promise<OutputOf<'authenticate'>> {
    const { key, keyring: _keyring, ...holder } = await this.keyWithAccount(input);
    if (!equal(key.hash, boundHash(input.secret_hash, holder.as_of))) throw notValid();
    return holder;
  }

  @Rpc(keysRpc.checkKey)
  async checkKey(input: InputOf<'checkKey'>): Promise<OutputOf<'checkKey'>> {
    const { session } = input;
    const { key: _key, keyring, ...holder } = await this.keyWithAccount(input);
    if (session !== undefined && isSessionEnded(keyring, session)) throw notValid();
    return holder;
  }

  @Rpc(keysRpc.endSession)
  async endSession({ key_id, session }: InputOf<'endSession'>, context: RpcContext): Promise<OutputOf<'endSession'>> {
    const command = { type: 'end-session', keyId: key_id, session, us: Date.now() * 1_000 } as const;
    return { ended: (await this.run(command, context))?.changed ?? false };
  }

  @Rpc(keysRpc.list)
  async list({ cursor }: InputOf<'list'>, { caller }: RpcContext): Promise<OutputOf<'list'>> {
    const after = decodeCursor(cursor, { listing, position });
    const [found, plan, uses] = await Promise.all([
      after === null ? this.firstKeys(caller) : olderKeys(this.bus, caller, { seq: after[0], id: after[1] }),
      this.planOf(caller),
      this.uses(caller),
    ]);
    const keys = found.keys.map((key) => present(key, uses));
    const { next } = found;
    return {
      count: keys.length,
      limit: plan === undefined ? null : this.plans[plan].apiKeys,
      keys,
      has_more: next !== null,
      next_cursor: next && encodeCursor(listing, [next.seq, next.id]),
    };
  }

  @Rpc(keysRpc.create)
  async create(input: InputOf<'create'>, context: RpcContext): Promise<Reply<OutputOf<'create'>>> {
    const account = context.caller;
    const { as_of: asOf = null } = input;
    readTimeOf(asOf);
    const plan = await this.planOf(account);
    if (plan === undefined) throw new DomainError('internal', 'This account does not exist. Check the account id.');
    const secret = newSecret();
    const nowUs = Date.now() * 1_000;
    const id = input.idempotency_key
      ? await idempotentId(
          { account, kind: 'key', idempotencyKey: input.idempotency_key },
          { existing: (await this.keyringOf(account))?.keys ?? [], nowUs },
        )
      : newKeyId(account);
    const text = formatApiKey({ keyId: id, secret });
    const key: StoredKey = {
      id,
      name: input.name,
      last4: text.slice(-4),
      hash: boundHash(secretHash(secret), asOf),
      created_us: nowUs,
      revoked_us: null,
      ...(asOf !== null && { as_of: asOf }),
    };
    const { state } = await this.change({ type: 'create', key, limit: this.plans[plan].apiKeys }, context);
    const stored = keyOf(state, id);
    // Another hash means that the key was created by an earlier request, which returned the secret.
    const created: OutputOf<'create'> =
      stored.hash === key.hash
        ? { ...present(stored, unused), secret: text }
        : { ...present(stored, await this.uses(account)), secret: null, secret_already_shown: true };
    return Reply.json(created, asOf === null ? {} : { asOf });
  }

  @Rpc(keysRpc.revoke)
  async revoke({ key_id }: InputOf<'revoke'>, context: RpcContext): Promise<OutputOf<'revoke'>> {
    const uses = await this.uses(context.caller);
    try {
      const { state } = await this.change({ type: 'revoke', id: key_id, us: Date.now() * 1_000 }, context);
      return present(keyOf(state, key_id), uses);
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'key_not_found')) throw error;
      const revoked = accountOfKey(key_id) === context.caller ? await this.olderKey(key_id, context) : undefined;
      if (revoked === undefined) throw error;
      return present(revoked, uses);
    }
  }

  /** A key that was revoked so long ago that the state no longer has it. */
  private async olderKey(key_id: string, { caller, remainingMs }: RpcContext): Promise<StoredKey | undefined> {
    const deadline = performance.now() + remainingMs;
    let { next } = await this.firstKeys(caller);
    while (next !== null) {
      const older: OlderKeys = await olderKeys(this.bus, caller, next);
      const found = older.keys.find(({ id }) => id === key_id);
      if (found !== undefined) return found;
      if (performance.now() > deadline) throw tooManyKeys();
      next = older.next;
    }
    return undefined;
  }

  /** All keys in the state, newest first. */
  private async firstKeys(account: string): Promise<OlderKeys> {
    const loaded = await this.store.load(subjects.keyring(account), keyringState);
    if (loaded === undefined) return { keys: [], next: null };
    return { keys: loaded.state.keys.toReversed(), next: positionAfter(loaded) };
  }

  private async keyWithAccount({
    key_id,
    knows_as_of: knowsAsOf,
  }: Pick<InputOf<'checkKey'>, 'key_id' | 'knows_as_of'>): Promise<Holder> {
    const account = accountOfKey(key_id);
    if (!isValidId(account)) throw notValid();
    const [keyring, plan] = await Promise.all([this.keyringOf(account), this.planOf(account)]);
    const key = keyring?.keys.find(({ id }) => id === key_id);
    if (keyring === undefined || key === undefined || key.revoked_us !== null || plan === undefined) throw notValid();
    const { as_of: asOf = null } = key;
    if (asOf !== null && !knowsAsOf) throw notValid();
    return { key, keyring, account, key_id, plan, as_of: asOf };
  }

  private async change(command: KeyringCommand, context: RpcContext): Promise<CommandResult<Keyring>> {
    const outcome = await this.run(command, context);
    if (outcome === undefined) throw new Error('a keyring command left no keyring');
    return outcome;
  }

  private run(command: KeyringCommand, context: RpcContext): Promise<CommandResult<Keyring> | undefined> {
    const account = context.caller;
    return execute(this.store, keyringDecider(account), {
      subject: subjects.keyring(account),
      command,
      id: randomUUID(),
      account,
      time: Date.now() * 1_000,
      timeoutMs: context.remainingMs,
    });
  }

  private async keyringOf(account: string): Promise<Keyring | undefined> {
    return (await this.store.load(subjects.keyring(account), keyringState))?.state;
  }

  private async planOf(account: string): Promise<PlanId | undefined> {
    return (await this.store.load(subjects.account(account), accountState))?.state.plan;
  }
}

const listing = listingOf('keys', {});
/** The position of a cursor: a sequence, and the id of the last revoked key on the page. */
const position = z.tuple([z.int().positive(), z.string()]);

const tooManyKeys = (): DomainError =>
  new DomainError('unavailable', 'The account has too many revoked keys to search all of them. Try again later.');

const notValid = (): DomainError =>
  new DomainError(
    'unauthenticated',
    'The API key is not valid. Check that the key is complete and that it is not revoked.',
  );

const keyOf = (keyring: Keyring, id: string): StoredKey => {
  const key = keyring.keys.find((candidate) => candidate.id === id);
  if (key === undefined) throw new Error(`no key ${id} after writing it`);
  return key;
};

const unused: ReadonlyMap<string, number> = new Map();

const present = (key: StoredKey, uses: ReadonlyMap<string, number>): ApiKey => ({
  id: key.id,
  name: key.name,
  prefix: apiKeyPrefix(key.id),
  last4: key.last4,
  status: key.revoked_us === null ? 'active' : 'revoked',
  created_ts: secondsOf(key.created_us) ?? 0,
  last_used_ts: uses.get(key.id) ?? null,
  revoked_ts: secondsOf(key.revoked_us),
  as_of: key.as_of ?? null,
});

/** In constant time, so that the duration reveals nothing about the correct hash. */
const equal = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};
