import { createHash } from 'node:crypto';

/**
 * The stored hash of a secret. With `as_of`, it is bound to that time, so a process that does not know the field finds no key
 * for the secret instead of one without a fence.
 */
export const boundHash = (secretHash: string, asOf: number | null): string =>
  asOf === null ? secretHash : createHash('sha256').update(`${secretHash} as of ${asOf}`).digest('hex');
