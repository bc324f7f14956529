import { createHash } from 'node:crypto';

/**
 * A UUID (version 5 in form) from an account and a text: the id of a command that a crash may repeat, so that it is
 * stored once.
 */
export const v5AccountId = (account: string, text: string): string => {
  const bytes = createHash('sha1').update(`almanac commerce ${account} ${text}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};
