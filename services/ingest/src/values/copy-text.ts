/**
 * A copy of a text that may outlive the block of the file it was cut from. V8 cuts a text of 13 characters and more as
 * a view on its parent, so one ticker kept in a map would keep its whole block of the file alive.
 */
export const copyText = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');

/** Shorter texts are copies already. */
export const cutAsCopy = 13;
