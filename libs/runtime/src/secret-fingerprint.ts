import { createHmac } from 'node:crypto';

/** Names a long random secret without revealing it: 16 hex digits of an HMAC. */
export const secretFingerprint = (secret: string): string =>
  createHmac('sha256', secret).update('almanac fingerprint').digest('hex').slice(0, 16);
