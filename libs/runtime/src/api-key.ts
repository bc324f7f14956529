import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Crockford's base 32 in lower case: no underscore, which separates the parts, and no letters that look alike. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const accountLength = 12;
const ownLength = 6;
const secretLength = 32;
const checksumLength = 7;

const part = (length: number) => `([${alphabet}]{${length}})`;
const form = new RegExp(`^ak_live_${part(accountLength + ownLength)}_${part(secretLength)}_${part(checksumLength)}$`);

/** 256 is a multiple of 32, so the low five bits of random bytes are uniform. */
const lettersOf = (bytes: Uint8Array, length: number): string =>
  Array.from(bytes.subarray(0, length), (byte) => alphabet.charAt(byte & 31)).join('');

/** 60 random bits. */
export const newAccountId = (): string => lettersOf(randomBytes(accountLength), accountLength);

/** A key's id starts with its account's id, so one read of the account's keyring authenticates. */
export const newKeyId = (account: string): string => keyIdWith(account, randomBytes(ownLength));

/** Derives the key id from given bytes instead of random ones. */
export const keyIdWith = (account: string, bytes: Uint8Array): string => account + lettersOf(bytes, ownLength);

export const accountOfKey = (keyId: string): string => keyId.slice(0, accountLength);

/** 160 random bits. */
export const newSecret = (): string => lettersOf(randomBytes(secretLength), secretLength);

/** The same secret for the same seed, which must be random. */
export const secretOf = (seed: string): string =>
  lettersOf(createHash('sha256').update(`almanac secret ${seed}`).digest(), secretLength);

/** The part of a key that may be shown at any time. */
export const apiKeyPrefix = (keyId: string): string => `ak_live_${keyId}`;

/** The key as its user has it: `ak_live_<key id>_<secret>_<checksum>`. */
export const formatApiKey = ({ keyId, secret }: { keyId: string; secret: string }): string => {
  const body = `${apiKeyPrefix(keyId)}_${secret}`;
  return `${body}_${checksumOf(body)}`;
};

/**
 * Splits a key into its parts, or returns undefined for an invalid text. The checksum detects a mistyped or cut key
 * without a request. It proves nothing else.
 */
export const parseApiKey = (text: string): { keyId: string; secret: string } | undefined => {
  const [, keyId, secret, checksum] = form.exec(text) ?? [];
  if (keyId === undefined || secret === undefined) return undefined;
  return checksumOf(`${apiKeyPrefix(keyId)}_${secret}`) === checksum ? { keyId, secret } : undefined;
};

const checksumOf = (body: string): string => {
  let rest = crc32(body);
  let letters = '';
  while (letters.length < checksumLength) {
    letters += alphabet.charAt(rest % 32);
    rest = Math.floor(rest / 32);
  }
  return letters;
};

/** SHA-256 in hex, the only stored form. With 160 random bits, a fast hash without salt is enough. */
export const secretHash = (secret: string): string => createHash('sha256').update(secret).digest('hex');
