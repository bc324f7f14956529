import { idempotencyKeyTtlUs, resolveIdempotencyKey, type IdempotencyMatch } from '@almanac/runtime';
import { v5AccountId } from './ids.js';

/** The id that an account's Idempotency-Key currently maps to, and what was created under it within 24 hours. */
export const idOfAccountKey = <Known extends { readonly started_us: number }>(
  { account, about, key, nowUs }: { account: string; about: string; key: string; nowUs: number },
  load: (id: string) => Promise<Known | undefined>,
  counts: (known: Known) => boolean = () => true,
): Promise<IdempotencyMatch<Known>> =>
  resolveIdempotencyKey(
    {
      first: v5AccountId(account, `${about} key ${key}`),
      after: (id) => v5AccountId(account, `${about} after ${id}`),
    },
    load,
    (known) => counts(known) && nowUs - known.started_us < idempotencyKeyTtlUs,
  );
