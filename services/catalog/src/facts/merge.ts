/** An absent value (null, undefined or an empty text) erases nothing. The last stated value wins. */
export const mergeValue = <T>(stated: T | null | undefined, known: T | null): T | null =>
  stated === null || stated === undefined || stated === '' ? known : stated;

/** The same for free text. Unpaired surrogates are replaced, because they are invalid in UTF-8. */
export const mergeText = (stated: string | null | undefined, known: string | null): string | null =>
  mergeValue(stated?.toWellFormed(), known);

/**
 * The stated fields of a fact, without nulls, empty lists and `kind`, so that an event contains nothing else. The type is
 * still F: every field except the id is optional, and an id is never null.
 */
export const statedFields = <F extends object>(fact: F): F =>
  Object.fromEntries(Object.entries(fact).filter(([field, value]) => field !== 'kind' && !isUnstated(value))) as F;

const isUnstated = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);
