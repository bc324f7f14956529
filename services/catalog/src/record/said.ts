/** What is known after a source spoke: silence (null, absent or an empty text) erases nothing, and the last word wins. */
export const said = <T>(news: T | null | undefined, known: T | null): T | null =>
  news === null || news === undefined || news === '' ? known : news;

/** The same for free text, which is stored as whole characters: half a surrogate pair is no UTF-8. */
export const saidText = (news: string | null | undefined, known: string | null): string | null =>
  said(news?.toWellFormed(), known);

/**
 * What a source said, without what it did not say, so that an event holds no list of nulls, and without the word that
 * tells facts apart. The shape stays as it is because every field but the id may be absent, and an id is never null.
 */
export const spoken = <F extends object>(fact: F): F =>
  Object.fromEntries(
    Object.entries(fact).filter(([field, value]) => field !== 'kind' && value !== null && value !== undefined),
  ) as F;
