const offsetMax = 10_000;

/** One more than asked for tells whether more follow. */
export const pageOf = <T>(found: readonly T[], limit: number): { items: readonly T[]; has_more: boolean } => ({
  items: found.slice(0, limit),
  has_more: found.length > limit,
});

/** Null at the end, and beyond the largest offset that the API takes: narrow by time there. */
export const nextOffset = (offset: number, count: number, has_more: boolean): number | null =>
  has_more && offset + count <= offsetMax ? offset + count : null;
