import { v5AccountId } from './ids.js';

/** A repetition within this time is one; after it the key is free again. */
const keyLivesUs = 24 * 3_600e6;

/** Where a thing that an Idempotency-Key names is to be found, or made. */
export interface Keyed<Known> {
  readonly id: string;
  /** What was made under the key within 24 hours. */
  readonly known: Known | undefined;
}

/**
 * The id that an Idempotency-Key of an account stands for now. Each use of a key that is old, or that came to nothing,
 * leads to one id more: no id holds a time, so all processes come to the same one.
 */
export const idOfKey = async <Known extends { readonly started_us: number }>(
  { account, about, key, nowUs }: { account: string; about: string; key: string; nowUs: number },
  load: (id: string) => Promise<Known | undefined>,
  counts: (known: Known) => boolean = () => true,
): Promise<Keyed<Known>> => {
  let id = v5AccountId(account, `${about} key ${key}`);
  for (;;) {
    const known = await load(id);
    if (known === undefined) return { id, known };
    if (counts(known) && nowUs - known.started_us < keyLivesUs) return { id, known };
    id = v5AccountId(account, `${about} after ${id}`);
  }
};
