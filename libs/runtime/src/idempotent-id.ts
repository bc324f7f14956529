import { createHash } from 'node:crypto';
import { keyIdWith } from './api-key.js';
import { idempotencyKeyTtlUs, resolveIdempotencyKey } from './idempotency.js';

/**
 * The id of what an account creates with an Idempotency-Key, such as a `key`. It is the same for every repetition within 24
 * hours.
 */
export const idempotentId = async (
  {
    account,
    kind,
    idempotencyKey,
  }: { readonly account: string; readonly kind: string; readonly idempotencyKey: string },
  { existing, nowUs }: { existing: readonly { readonly id: string; readonly created_us: number }[]; nowUs: number },
): Promise<string> => {
  const idOf = (text: string): string =>
    keyIdWith(account, createHash('sha256').update(`almanac ${kind} ${account} ${text}`).digest());
  const { id } = await resolveIdempotencyKey(
    { first: idOf(idempotencyKey), after: (before) => idOf(`after ${before}`) },
    (made) => Promise.resolve(existing.find((one) => one.id === made)),
    ({ created_us }) => nowUs - created_us < idempotencyKeyTtlUs,
  );
  return id;
};
