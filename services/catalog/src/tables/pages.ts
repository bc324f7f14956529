const offsetMax = 10_000;

/** `found` has one extra item, which shows whether more follow. */
export const pageOf = <T>(found: readonly T[], limit: number): { items: readonly T[]; has_more: boolean } => ({
  items: found.slice(0, limit),
  has_more: found.length > limit,
});

/** Null at the end, and beyond the API's largest offset, where a client must narrow the time. */
export const nextOffset = (offset: number, count: number, has_more: boolean): number | null =>
  has_more && offset + count <= offsetMax ? offset + count : null;
