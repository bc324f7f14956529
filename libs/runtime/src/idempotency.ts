/** A repetition within this time is one; after it the key is free again. Microseconds. */
export const idempotencyKeyLivesUs = 24 * 3_600e6;

/** Where a thing that an Idempotency-Key names is to be found, or made. */
export interface Keyed<Known> {
  readonly id: string;
  /** What was made under the key, and counts. */
  readonly known: Known | undefined;
}

/**
 * The id that an Idempotency-Key stands for now. Each use of a key that is old, or that came to nothing, and so does not
 * count, leads to one id more: no id holds a time, so all processes come to the same one.
 */
export const idOfKey = async <Known>(
  { first, after }: { readonly first: string; readonly after: (id: string) => string },
  load: (id: string) => Promise<Known | undefined>,
  counts: (known: Known) => boolean,
): Promise<Keyed<Known>> => {
  let id = first;
  for (;;) {
    const known = await load(id);
    if (known === undefined || counts(known)) return { id, known };
    id = after(id);
  }
};
