/** A repetition within this time is one; after it the key is free again. Microseconds. */
export const idempotencyKeyTtlUs = 24 * 3_600e6;

/** Where a thing that an Idempotency-Key names is to be found, or made. */
export interface IdempotencyMatch<Known> {
  readonly id: string;
  /** What was made under the key, and counts. */
  readonly existing: Known | undefined;
}

/**
 * The id that an Idempotency-Key stands for now. Each use of a key that is old, or that came to nothing, and so does not
 * count, leads to one id more: no id holds a time, so all processes come to the same one.
 */
export const resolveIdempotencyKey = async <Known>(
  { first, after }: { readonly first: string; readonly after: (id: string) => string },
  load: (id: string) => Promise<Known | undefined>,
  isReusable: (existing: Known) => boolean,
): Promise<IdempotencyMatch<Known>> => {
  let id = first;
  for (;;) {
    const existing = await load(id);
    if (existing === undefined || isReusable(existing)) return { id, existing };
    id = after(id);
  }
};
