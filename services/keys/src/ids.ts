import { createHash, randomUUID } from 'node:crypto';
import { keyIdWith } from '@almanac/runtime';

export const commandId = (): string => randomUUID();

/** The id of a key that was asked for with an Idempotency-Key: the same one whenever it is asked again. */
export const repeatableKeyId = (account: string, idempotencyKey: string): string =>
  keyIdWith(account, createHash('sha256').update(`almanac key ${account} ${idempotencyKey}`).digest());
