import { createHash } from 'node:crypto';
import type { StoredKey } from '@almanac/contracts';
import { idempotencyKeyTtlUs, resolveIdempotencyKey, keyIdWith } from '@almanac/runtime';

/** The id of a key created with an Idempotency-Key. It is the same for every repetition within 24 hours. */
export const repeatableKeyId = async (
  account: string,
  idempotencyKey: string,
  { keys, nowUs }: { keys: readonly StoredKey[]; nowUs: number },
): Promise<string> => {
  const idOf = (text: string): string =>
    keyIdWith(account, createHash('sha256').update(`almanac key ${account} ${text}`).digest());
  const { id } = await resolveIdempotencyKey(
    { first: idOf(idempotencyKey), after: (before) => idOf(`after ${before}`) },
    (made) => Promise.resolve(keys.find((key) => key.id === made)),
    ({ created_us }) => nowUs - created_us < idempotencyKeyTtlUs,
  );
  return id;
};
