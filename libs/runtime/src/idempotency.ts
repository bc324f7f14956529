/** Time for which an Idempotency-Key is valid, in microseconds. Afterwards the key can be used again. */
export const idempotencyKeyTtlUs = 24 * 3_600e6;

/** The entity that an Idempotency-Key names. */
export interface IdempotencyMatch<Known> {
  readonly id: string;
  /** The entity created under the key, if it still counts. */
  readonly existing: Known | undefined;
}

/**
 * Resolves the id for an Idempotency-Key. If the entity under an id no longer counts (expired or without result), the next
 * id in the chain is tried. No id contains a time, so all processes find the same one.
 */
export const resolveIdempotencyKey = async <Known>(
  { first, after }: { readonly first: string; readonly after: (id: string) => string },
  load: (id: string) => Promise<Known | undefined>,
  counts: (existing: Known) => boolean,
): Promise<IdempotencyMatch<Known>> => {
  let id = first;
  for (;;) {
    const existing = await load(id);
    if (existing === undefined || counts(existing)) return { id, existing };
    id = after(id);
  }
};
