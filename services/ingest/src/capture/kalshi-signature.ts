import { constants, createPrivateKey, type KeyObject, sign } from 'node:crypto';

/** A key of Kalshi's API: its id, and the private half that the venue gave out once. */
export interface KalshiKey {
  readonly id: string;
  readonly privateKey: KeyObject;
}

/** Throws where the text is no private key; what was thrown by the parser could hold parts of it, so it is not passed on. */
export const readPrivateKey = (pem: string): KeyObject => {
  try {
    // A line break cannot stand in many environments; `\n` is how it is written there.
    return createPrivateKey(pem.replaceAll(String.raw`\n`, '\n'));
  } catch {
    throw new Error('must be a private key in PEM format');
  }
};

/**
 * The headers that open Kalshi's websocket: RSA-PSS over SHA-256, salt as long as the digest, of the time in
 * milliseconds, the method and the path without its query. Good for a few seconds, so they are made for each attempt.
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
