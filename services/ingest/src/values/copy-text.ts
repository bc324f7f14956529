/**
 * Copies a text so that it can outlive its block of the file. V8 slices a text of 13 characters or more as a view of
 * its parent, so one ticker in a map would keep the entire block in memory.
 */
export const copyText = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');

/** Shorter texts are copies already. */
export const cutAsCopy = 13;
