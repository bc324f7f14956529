import { Reply } from '@almanac/bus';
import type { RpcContext } from '@almanac/bus/server';
import { DomainError, type InputOf, type keysRpc, type OutputOf, readTimeOf, type StoredKey } from '@almanac/contracts';
import { formatApiKey, idempotentId, newKeyId, newSecret, secretHash, secretOf, unixMicros } from '@almanac/runtime';
import { boundHash } from './bound-hash.js';
import type { KeysDeps } from '../keys-deps.js';
import { changeKey, loadKeyring, planOf } from './keyrings.js';
import { presentKey } from './present-key.js';

type Create = InputOf<typeof keysRpc.create>;

export const createKey = async (
  deps: KeysDeps,
  input: Create,
  context: RpcContext,
): Promise<Reply<OutputOf<typeof keysRpc.create>>> => {
  const account = context.caller;
  const { as_of: asOf = null } = input;
  readTimeOf(asOf);
  const plan = await planOf(deps, account);
  if (plan === undefined) throw new DomainError('internal', 'This account does not exist. Check the account id.');
  const secret = input.seed === undefined ? newSecret() : secretOf(input.seed);
  const nowUs = unixMicros();
  const id = await idOf(deps, input, { account, nowUs });
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
  const stored = await changeKey(deps, { type: 'create', key, limit: deps.plans[plan].apiKeys }, context);
  // Another hash means that the key was created by an earlier request, which returned the secret.
  const created =
    stored.hash === key.hash
      ? { ...presentKey(stored, unused), secret: text }
      : { ...presentKey(stored, await deps.uses(account)), secret: null, secret_already_shown: true };
  return Reply.json(created, asOf === null ? {} : { asOf });
};

const unused: ReadonlyMap<string, number> = new Map();

/** The same id for the same idempotency key. */
const idOf = async (
  deps: KeysDeps,
  { idempotency_key: idempotencyKey }: Create,
  { account, nowUs }: { account: string; nowUs: number },
): Promise<string> => {
  if (!idempotencyKey) return newKeyId(account);
  const existing = (await loadKeyring(deps, account))?.state.keys ?? [];
  return idempotentId({ account, kind: 'key', idempotencyKey }, { existing, nowUs });
};
