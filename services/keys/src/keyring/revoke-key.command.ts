import type { RpcContext } from '@almanac/bus/server';
import { DomainError, type InputOf, type keysRpc, type OutputOf, type StoredKey } from '@almanac/contracts';
import { accountOfKey, unixMicros } from '@almanac/runtime';
import type { KeysDeps } from '../keys-deps.js';
import { changeKey, loadKeyring } from './keyrings.js';
import { newestKeys, olderKeys, type OlderKeys } from './older-keys.js';
import { presentKey } from './present-key.js';

export const revokeKey = async (
  deps: KeysDeps,
  { key_id: id }: InputOf<typeof keysRpc.revoke>,
  context: RpcContext,
): Promise<OutputOf<typeof keysRpc.revoke>> => {
  const uses = await deps.uses(context.caller);
  try {
    return presentKey(await changeKey(deps, { type: 'revoke', id, us: unixMicros() }, context), uses);
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'key_not_found')) throw error;
    const revoked = accountOfKey(id) === context.caller ? await olderKey(deps, id, context) : undefined;
    if (revoked === undefined) throw error;
    return presentKey(revoked, uses);
  }
};

/** A key that was revoked so long ago that the state no longer has it. */
const olderKey = async (
  deps: KeysDeps,
  keyId: string,
  { caller, remainingMs }: RpcContext,
): Promise<StoredKey | undefined> => {
  const deadline = performance.now() + remainingMs;
  let { next } = newestKeys(await loadKeyring(deps, caller));
  while (next !== null) {
    const older: OlderKeys = await olderKeys(deps.bus, caller, next);
    const found = older.keys.find(({ id }) => id === keyId);
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw tooManyKeys();
    next = older.next;
  }
  return undefined;
};

const tooManyKeys = (): DomainError =>
  new DomainError('unavailable', 'The account has too many revoked keys to search all of them. Try again later.');
