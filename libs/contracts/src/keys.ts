import { z } from 'zod';
import { planId } from './commerce.js';
import { eventOf } from './events.js';
import { micros } from './numbers.js';
import { contract } from './rpc.js';

/** A key as it is stored: never the secret, only its hash. */
export const storedKey = z.object({
  id: z.string(),
  name: z.string(),
  last4: z.string(),
  /** SHA-256 of the secret, hex. The secret has 160 random bits, so a fast hash without salt is enough. */
  hash: z.string(),
  created_us: micros,
  revoked_us: micros.nullable(),
});
export type StoredKey = z.infer<typeof storedKey>;

/**
 * All keys of an account, its keyring. One thing, so that the limit of a plan holds against simultaneous creations,
 * and one read answers a listing. A key's id begins with its account's id, so one read authenticates too.
 */
export const keyringState = z.object({ account: z.string(), keys: z.array(storedKey) });
export type KeyringState = z.infer<typeof keyringState>;

/** EVT_KEYS: `evt.keys.<account>`. */
export const keyEvents = {
  KeyCreated: eventOf('KeyCreated', storedKey, keyringState),
  KeyRevoked: eventOf('KeyRevoked', z.object({ id: z.string(), revoked_us: micros }), keyringState),
};

/** What every gateway hears four times a second: how far EVT_KEYS had got at its leader. */
export const keysBeat = z.object({ seq: z.int() });

export const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  last4: z.string(),
  status: z.enum(['active', 'revoked']),
  created_ts: z.number(),
  last_used_ts: z.number().nullable(),
  revoked_ts: z.number().nullable(),
});
export type ApiKey = z.infer<typeof apiKey>;

export const keysRpc = {
  /** `secret_hash` is SHA-256 of the secret, hex: the secret itself never leaves the gateway. */
  authenticate: contract({
    service: 'keys',
    method: 'authenticate',
    kind: 'query',
    input: z.object({ key_id: z.string(), secret_hash: z.string() }),
    output: z.object({ account: z.string(), key_id: z.string(), plan: planId }),
    errors: ['unauthenticated'],
    timeoutMs: 2_000,
  }),
  list: contract({
    service: 'keys',
    method: 'list',
    kind: 'query',
    input: z.object({}),
    output: z.object({ count: z.int(), limit: z.int().nullable(), keys: z.array(apiKey) }),
    errors: [],
    timeoutMs: 5_000,
  }),
  create: contract({
    service: 'keys',
    method: 'create',
    kind: 'command',
    input: z.object({ name: z.string().min(1), idempotency_key: z.string().nullish() }),
    output: apiKey.extend({ secret: z.string().nullable(), secret_already_shown: z.boolean().optional() }),
    errors: ['key_limit_reached', 'idempotency_conflict', 'conflict'],
    timeoutMs: 5_000,
  }),
  revoke: contract({
    service: 'keys',
    method: 'revoke',
    kind: 'command',
    input: z.object({ key_id: z.string() }),
    output: apiKey,
    errors: ['key_not_found', 'conflict'],
    timeoutMs: 5_000,
  }),
};
