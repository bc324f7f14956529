import { type ApiKey, secondsOf, type StoredKey } from '@almanac/contracts';
import { apiKeyPrefix } from '@almanac/runtime';

/** `uses` has when keys of the account were last used, if known. */
export const presentKey = (key: StoredKey, uses: ReadonlyMap<string, number>): ApiKey => ({
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
