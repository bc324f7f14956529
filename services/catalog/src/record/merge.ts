/** What is known after a source spoke: silence (null, absent or an empty text) erases nothing, and the last word wins. */
export const mergeValue = <T>(stated: T | null | undefined, known: T | null): T | null =>
  stated === null || stated === undefined || stated === '' ? known : stated;

/** The same for free text, which is stored as whole characters: half a surrogate pair is no UTF-8. */
export const mergeText = (stated: string | null | undefined, known: string | null): string | null =>
  mergeValue(stated?.toWellFormed(), known);

/**
 * What a source said, without what it did not say, so that an event holds no list of nulls, and without the word that
 * tells facts apart. The shape stays as it is because every field but the id may be absent, and an id is never null.
 */
export const statedFields = <F extends object>(fact: F): F =>
  Object.fromEntries(
    Object.entries(fact).filter(([field, value]) => field !== 'kind' && value !== null && value !== undefined),
  ) as F;
