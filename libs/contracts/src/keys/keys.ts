import { z } from 'zod';
import { asOf } from '../requests/as-of.js';
import { eventOf } from '../events/events.js';
import { micros } from '../requests/numbers.js';
import { cursor, cursorPage } from '../requests/paging.js';
import { planId } from '../commerce/plans.js';
import { contract } from '../requests/rpc.js';

/** A stored key: never the secret, only its hash. */
const storedKey = z.object({
  id: z.string(),
  name: z.string(),
  last4: z.string(),
  /**
   * SHA-256 of the secret, in hex. The secret has 160 random bits, so a fast hash without salt is enough. Of a key with
   * `as_of`, it is the hash of that hash and the time (`boundHash`): a process of a release that does not know `as_of`
   * refuses the key.
   */
  hash: z.string(),
  /** The time in seconds as of which the key reads the archive. Absent or null: the present. */
  as_of: z.number().nullable().optional(),
  created_us: micros,
  revoked_us: micros.nullable(),
  /** 1 for the account's first revoked key, 2 for its second, and so on. */
  revoked_n: z.int().optional(),
});
export type StoredKey = z.infer<typeof storedKey>;

/** A browser session of a key. */
const keySession = z.object({ id: z.string(), expires_s: z.int() });
export type KeySession = z.infer<typeof keySession>;

/**
 * All keys of an account. They are one entity, so that a plan's limit holds against concurrent creations and one read
 * answers a listing. A key's id starts with its account's id, so one read also authenticates.
 */
export const keyringState = z.object({
  account: z.string(),
  /** Every active key, and the revoked ones that are listed without the stream's history. */
  keys: z.array(storedKey),
  /** Number of keys revoked so far, including those that are no longer in `keys`. */
  revoked_n: z.int().optional(),
  /** Number of keys created on a UTC day. */
  created: z.object({ day: z.string(), count: z.int() }).optional(),
  /** Ended sessions of these keys that have not expired. */
  ended_sessions: z.array(keySession).default([]),
  /** All sessions that expire at or before this time have ended. It bounds the list of ended sessions. */
  sessions_ended_until_s: z.int().default(0),
});
export type KeyringState = z.infer<typeof keyringState>;

/** EVT_KEYS: `evt.keys.<account>`. */
export const keyEvents = {
  KeyCreated: eventOf('KeyCreated', storedKey, keyringState),
  KeyRevoked: eventOf('KeyRevoked', z.object({ id: z.string(), revoked_us: micros }), keyringState),
  SessionEnded: eventOf('SessionEnded', keySession.extend({ key_id: z.string(), ended_us: micros }), keyringState),
};

const sequences = z.union([z.int(), z.array(z.int())]);

/**
 * Sent to every gateway four times a second, in a cluster ten times. Who has received EVT_KEYS up to `seq` has every revocation that was answered
 * until `age_ms` before the heartbeat was sent. The others are the last sequences of EVT_COMMERCE, EVT_ARCHIVE and
 * EVT_CATALOG at their leaders, absent if they could not be read. The last two can have several partitions, with one
 * sequence for each.
 */
export const keysHeartbeat = z.object({
  seq: z.int(),
  commerce: z.int().optional(),
  archive: sequences.optional(),
  catalog: sequences.optional(),
  /** Changes of EVT_KEYS that the process stored in the last 30 s: sequence and account. */
  changes: z.array(z.tuple([z.int(), z.string()])).optional(),
  /**
   * When it was sent, on the monotonic clock of the process that sent it. From a release without it, a heartbeat has no
   * known age, so gateways do not rely on it.
   */
  clock: z.object({ sender: z.string(), sent_ms: z.number(), age_ms: z.number() }).optional(),
});
export type KeysHeartbeat = z.output<typeof keysHeartbeat>;

const time = z.number();
const publicKeyFields = z.object({
  id: z.string().meta({ description: 'Id of the key. It is not secret', examples: ['7hq2mz0b4k9c1d5e8f3g'] }),
  name: z.string().meta({ description: 'Display name', examples: ['notebook'] }),
  prefix: z.string().meta({ description: 'Beginning of the key', examples: ['ak_live_7hq2mz0b4k9c1d5e8f3g'] }),
  last4: z.string().meta({ description: 'Last 4 characters of the key', examples: ['x7Qa'] }),
  status: z
    .enum(['active', 'revoked'])
    .meta({ description: 'Status of the key. A revoked key is not accepted', examples: ['active'] }),
  created_ts: time.meta({ description: 'Time when the key was created, in Unix seconds', examples: [1771992900.5] }),
  last_used_ts: time
    .nullable()
    .meta({ description: 'Time when the key was last used, in Unix seconds. Null if unknown' }),
  revoked_ts: time
    .nullable()
    .meta({ description: 'Time when the key was revoked, in Unix seconds. Null if the key is active' }),
  // A keys service of a release without it does not send it.
  as_of: z
    .number()
    .nullable()
    .default(null)
    .meta({
      description: 'Time as of which the key reads the archive, in Unix seconds. Null if it reads the present',
      examples: [null],
    }),
});
export const apiKey = publicKeyFields.meta({ id: 'ApiKey', description: 'An API key without its secret.' });
export type ApiKey = z.infer<typeof apiKey>;

export const apiKeyBody = z
  .object({
    name: z
      .string()
      .min(1)
      .max(80)
      .default('default')
      .meta({ description: 'Display name, 1 to 80 characters', examples: ['notebook'] }),
    as_of: asOf.meta({
      description:
        'Everything read with the key is as of this time, in Unix seconds. It may not be in the future. Without it, the key reads the present',
      examples: [1771993500],
    }),
  })
  .meta({ id: 'ApiKeyBody' });

/**
 * What a gateway of this release knows. One that does not send `knows_as_of` gets no key that has one, and one that does not send
 * `knows_provisional` gets no provisional answer.
 */
const known = { knows_as_of: z.boolean().default(false), knows_provisional: z.boolean().default(false) };
const holder = z.object({
  account: z.string(),
  key_id: z.string(),
  plan: planId,
  as_of: z.number().nullable().default(null),
  /**
   * From a replica, while a stream has no leader. It has every revocation that was answered before the call. One that was stored and
   * not yet answered may be missing, so the answer may only be used for a moment (`REVOCATION_MS`).
   */
  provisional: z.boolean().optional(),
});

/** As long as other reads: the keys service may have to leave two servers, one after the other. */
const checkMs = 5_000;

export const keysRpc = {
  /** `secret_hash` is the SHA-256 of the secret, in hex. The secret itself never leaves the gateway. */
  authenticate: contract({
    service: 'keys',
    method: 'authenticate',
    kind: 'query',
    input: z.object({ key_id: z.string(), secret_hash: z.string(), ...known }),
    output: holder,
    errors: ['unauthenticated'],
    timeoutMs: checkMs,
  }),
  /** Whether a key is still valid, and the session if there is one. A session proves that its secret was verified before. */
  checkKey: contract({
    service: 'keys',
    method: 'check-key',
    kind: 'query',
    input: z.object({ key_id: z.string(), session: keySession.optional(), ...known }),
    output: holder,
    errors: ['unauthenticated'],
    timeoutMs: checkMs,
  }),
  /** Ends a session of a key for all gateways. `ended` is false if it had ended before. */
  endSession: contract({
    service: 'keys',
    method: 'end-session',
    kind: 'command',
    repeats: 'always',
    input: z.object({ key_id: z.string(), session: keySession }),
    output: z.object({ ended: z.boolean() }),
    errors: ['conflict'],
    timeoutMs: 5_000,
  }),
  list: contract({
    service: 'keys',
    method: 'list',
    callers: ['gateway', 'operator'],
    kind: 'query',
    input: z.object({ cursor }),
    output: z
      .object({
        count: z
          .int()
          .min(0)
          .meta({ description: 'Number of keys in this answer, including revoked keys', examples: [1] }),
        limit: z
          .int()
          .min(0)
          .nullable()
          .meta({ description: 'Maximum number of active keys in the plan. Null means no limit', examples: [10] }),
        keys: z.array(apiKey).meta({
          description:
            'API keys, newest first. The first answer has all active keys and the 100 keys that were revoked last. The next answers have earlier revoked keys',
        }),
        ...cursorPage,
      })
      .meta({ id: 'KeysResponse' }),
    errors: ['invalid_cursor'],
    timeoutMs: 5_000,
  }),
  create: contract({
    service: 'keys',
    method: 'create',
    callers: ['gateway', 'operator'],
    kind: 'command',
    repeats: 'with key',
    /** `seed` is random and makes the secret. So a request that is sent again gets its secret, and a later one does not. */
    input: apiKeyBody.extend({ idempotency_key: z.string().nullish(), seed: z.string().min(32).optional() }),
    output: publicKeyFields
      .extend({
        secret: z.string().nullable().meta({
          description: 'The whole key. It is shown only in this answer. Null if this answer repeats an earlier one',
        }),
        secret_already_shown: z
          .boolean()
          .meta({
            description:
              'True if an earlier request with the same `Idempotency-Key` created the key. Then `secret` is null',
          })
          .optional(),
      })
      .meta({ id: 'CreatedApiKey', description: 'A new API key, including its secret.' }),
    errors: ['key_limit_reached', 'key_daily_limit', 'idempotency_conflict', 'as_of_in_future', 'conflict'],
    timeoutMs: 5_000,
  }),
  revoke: contract({
    service: 'keys',
    method: 'revoke',
    callers: ['gateway', 'operator'],
    kind: 'command',
    repeats: 'always',
    input: z.object({ key_id: publicKeyFields.shape.id }),
    output: apiKey,
    errors: ['key_not_found', 'conflict'],
    timeoutMs: 5_000,
  }),
};
