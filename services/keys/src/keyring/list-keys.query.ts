import type { RpcContext } from '@almanac/bus/server';
import { decodeCursor, encodeCursor, type InputOf, type keysRpc, listingOf, type OutputOf } from '@almanac/contracts';
import { z } from 'zod';
import type { KeysDeps } from '../keys-deps.js';
import { showKeyring, showPlan } from './keyrings.js';
import { newestKeys, olderKeys } from './older-keys.js';
import { presentKey } from './present-key.js';

const listing = listingOf('keys', {});
/** The position of a cursor: a sequence, and the id of the last revoked key on the page. */
const position = z.tuple([z.int().positive(), z.string()]);

export const listKeys = async (
  deps: KeysDeps,
  { cursor }: InputOf<typeof keysRpc.list>,
  { caller }: RpcContext,
): Promise<OutputOf<typeof keysRpc.list>> => {
  const after = decodeCursor(cursor, { listing, position });
  const [found, plan, uses] = await Promise.all([
    after === null
      ? showKeyring(deps, caller).then(newestKeys)
      : olderKeys(deps.bus, caller, { seq: after[0], id: after[1] }),
    showPlan(deps, caller),
    deps.uses(caller),
  ]);
  const { next } = found;
  return {
    count: found.keys.length,
    limit: plan === undefined ? null : deps.plans[plan].apiKeys,
    keys: found.keys.map((key) => presentKey(key, uses)),
    has_more: next !== null,
    next_cursor: next && encodeCursor(listing, [next.seq, next.id]),
  };
};
