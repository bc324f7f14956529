import { hash } from 'node:crypto';
import type { Socket } from 'node:net';
import { parseApiKey } from '@almanac/runtime';

/** The key of an Authorization header. Whether it is valid is not known yet. */
export interface PresentedKey {
  readonly authorization: string;
  readonly keyId: string;
  /** Of the secret. */
  readonly hash: Buffer;
}

export const bearer = /^bearer +(\S+) *$/i;

/**
 * Reads keys of requests. Clients send the same header with each request of a connection, so the last one of each
 * connection is remembered: the hash of the secret takes longer than the rest of the check.
 */
export const presentedKeys = (): ((
  authorization: string | undefined,
  connection: Socket,
) => PresentedKey | undefined) => {
  const lastOf = new WeakMap<Socket, PresentedKey>();
  return (authorization = '', connection) => {
    const last = lastOf.get(connection);
    if (last?.authorization === authorization) return last;
    const key = parseApiKey(bearer.exec(authorization)?.[1] ?? '');
    if (key === undefined) return undefined;
    const presented = { authorization, keyId: key.keyId, hash: hash('sha256', key.secret, 'buffer') };
    lastOf.set(connection, presented);
    return presented;
  };
};
