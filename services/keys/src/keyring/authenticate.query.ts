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
import {
  accountWithoutLeader,
  type CheckedAccount,
  confirmedAccount,
  currentAccount,
  withMajority,
} from './keyrings.js';

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
  { key_id, knows_as_of: knowsAsOf, knows_provisional: knowsProvisional }: Omit<CheckKey, 'session'>,
): Promise<{ key: StoredKey; keyring: KeyringState; holder: Holder }> => {
  const account = accountOfKey(key_id);
  if (!isValidId(account)) throw notValid();
  const { keyring, plan, provisional } = await checkedAccount(deps, { account, key_id, knowsProvisional });
  const key = keyring?.keys.find(({ id }) => id === key_id);
  if (keyring === undefined || key === undefined || key.revoked_us !== null || plan === undefined) throw notValid();
  const { as_of: asOf = null } = key;
  if (asOf !== null && !knowsAsOf) throw notValid();
  return { key, keyring, holder: { account, key_id, plan, as_of: asOf, ...(provisional && { provisional }) } };
};

/** A replica may lack a key that was just created, so only the leader of a majority says that there is none. What a replica has is final. */
const checkedAccount = async (
  { marks, ...deps }: KeysDeps,
  { account, key_id, knowsProvisional }: { account: string; key_id: string; knowsProvisional: boolean },
): Promise<CheckedAccount> => {
  if (marks === undefined) return currentAccount(deps, account);
  const shown = await withMajority(marks, () =>
    knowsProvisional ? accountWithoutLeader({ ...deps, marks }, account) : currentAccount(deps, account),
  );
  const isKnown = shown.plan !== undefined && shown.keyring?.keys.some(({ id }) => id === key_id) === true;
  return isKnown ? shown : confirmedAccount(deps, account);
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
