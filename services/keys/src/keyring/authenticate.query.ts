import { timingSafeEqual } from 'node:crypto';
import { isValidId } from '@almanac/bus';
import {
  DomainError,
  type InputOf,
  type KeyringState,
  type keysRpc,
  type OutputOf,
  type StoredKey,
} from '@almanac/contracts';
import { accountOfKey } from '@almanac/runtime';
import { boundHash } from './bound-hash.js';
import { isSessionEnded } from './keyring.decider.js';
import type { KeysDeps } from '../keys-deps.js';
import { loadKeyring, planOf } from './keyrings.js';

type Holder = OutputOf<typeof keysRpc.authenticate>;
type CheckKey = InputOf<typeof keysRpc.checkKey>;

/** The holder of a secret. Throws `unauthenticated`. */
export const authenticate = async (
  deps: KeysDeps,
  input: InputOf<typeof keysRpc.authenticate>,
): Promise<OutputOf<typeof keysRpc.authenticate>> => {
  const { key, holder } = await activeKey(deps, input);
  if (!equal(key.hash, boundHash(input.secret_hash, key.as_of ?? null))) throw notValid();
  return holder;
};

/** The holder of a key whose secret was verified before. Throws `unauthenticated`, also if the session has ended. */
export const checkKey = async (deps: KeysDeps, input: CheckKey): Promise<OutputOf<typeof keysRpc.checkKey>> => {
  const { keyring, holder } = await activeKey(deps, input);
  if (input.session !== undefined && isSessionEnded(keyring, input.session)) throw notValid();
  return holder;
};

const activeKey = async (
  deps: KeysDeps,
  { key_id, knows_as_of: knowsAsOf }: Pick<CheckKey, 'key_id' | 'knows_as_of'>,
): Promise<{ key: StoredKey; keyring: KeyringState; holder: Holder }> => {
  const account = accountOfKey(key_id);
  if (!isValidId(account)) throw notValid();
  const [loaded, plan] = await Promise.all([loadKeyring(deps, account), planOf(deps, account)]);
  const key = loaded?.state.keys.find(({ id }) => id === key_id);
  if (loaded === undefined || key === undefined || key.revoked_us !== null || plan === undefined) throw notValid();
  const { as_of: asOf = null } = key;
  if (asOf !== null && !knowsAsOf) throw notValid();
  return { key, keyring: loaded.state, holder: { account, key_id, plan, as_of: asOf } };
};

const notValid = (): DomainError =>
  new DomainError(
    'unauthenticated',
    'The API key is not valid. Check that the key is complete and that it is not revoked.',
  );

/** In constant time, so that the duration reveals nothing about the correct hash. */
const equal = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};
