import { constants, createPrivateKey, type KeyObject, sign } from 'node:crypto';

/** A key of Kalshi's API: its id, and the private key that the venue shows only once. */
export interface KalshiKey {
  readonly id: string;
  readonly privateKey: KeyObject;
}

/** Throws if the text is not a private key. The parser's error could contain parts of the key, so it is dropped. */
export const readPrivateKey = (pem: string): KeyObject => {
  try {
    // Many environments cannot hold line breaks, so `\n` may stand for one.
    return createPrivateKey(pem.replaceAll(String.raw`\n`, '\n'));
  } catch {
    throw new Error('must be a private key in PEM format');
  }
};

/**
 * The headers that open Kalshi's websocket. They sign the time in milliseconds, the method and the path without its
 * query: RSA-PSS over SHA-256, with a salt as long as the digest. They are valid for seconds, so each attempt makes new
 * ones.
 */
export const signedHeaders = (key: KalshiKey, url: string, nowMs: number): Readonly<Record<string, string>> => {
  const timestamp = String(nowMs);
  const signature = sign('sha256', Buffer.from(`${timestamp}GET${new URL(url).pathname}`), {
    key: key.privateKey,
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  });
  return {
    'KALSHI-ACCESS-KEY': key.id,
    'KALSHI-ACCESS-SIGNATURE': signature.toString('base64'),
    'KALSHI-ACCESS-TIMESTAMP': timestamp,
  };
};
