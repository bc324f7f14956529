import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join, relative } from 'node:path';
import { before, describe, it } from 'node:test';
import { patterns } from '@almanac/bus';
import { processNames } from '@almanac/contracts';
import { connectRedis, type Redis } from '@almanac/redis';
import { createHealth, createLogger, formatApiKey, newSecret, parseApiKey, secretHash } from '@almanac/runtime';
import { connectOperator } from '@almanac/operator';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import type { SystemHarness } from '../harness.js';

const created = z.looseObject({ id: z.string(), secret: z.string() });
const opened = z.object({ csrf_token: z.string(), expires_ts: z.number() });

/** Files that hold passwords for programs, with mode 0600. They are no output. */
const configuration = /^(secrets\.json|[\w-]+\.env|nats\/nats\.conf|redis\/redis\.conf)$/;

/** A user that may read all keys, which the system itself does not have. */
export const redisReader = {
  user: 'reader',
  password: 'of-this-test',
  rules: ['~*', '+ping', '+info', '+keys', '+type', '+hgetall', '+lrange', '+zrange', '+get'],
};

interface Found {
  readonly at: string;
  readonly bytes: Buffer;
}

/**
 * Tests that no secret is anywhere in what a system at the log level trace wrote. It stops the system, so it is the last
 * suite. Its Redis needs the user `redisReader`.
 */
export const secretsSuite = (system: () => SystemHarness): void => {
  describe('secrets', () => {
    let running: SystemHarness;
    /** Secrets by name. */
    const secrets = new Map<string, string>();
    /** All API answers except those that return a secret. */
    const answered: string[] = [];
    /** The output of all processes, and all stored data. */
    let everything: readonly Found[] = [];
    let keyId = '';
    let hash = '';

    const parseKey = (key: string) => {
      const parsedKey = parseApiKey(key);
      assert.ok(parsedKey !== undefined);
      return parsedKey;
    };
    const send = async (
      path: string,
      init: RequestInit & { headers?: Record<string, string> } = {},
    ): Promise<Response> => {
      const response = await fetch(`${running.system.baseUrls[0]}${path}`, init);
      answered.push(JSON.stringify([...response.headers]), await response.clone().text());
      return response;
    };
    const output = async <Schema extends z.ZodType>(schema: Schema, pending: Promise<Response>) => {
      const response = await pending;
      assert.equal(response.status, 200);
      answered.splice(-2);
      return { value: schema.parse(await response.json()), response };
    };
    const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

    before(async () => {
      running = system();
      const first = await running.key('pro');
      secrets.set('the secret of the first key', parseKey(first).secret);
      const second = await useKeys(first);
      await useWrongKeys(second);
      await useSessions(second);
      await causeErrors(second);
      const inRedis = await allOfRedis(running, keyId);
      const metrics = await allMetrics(running);
      const events = await allEvents(running);
      // The streams are completely on disk once their server has stopped.
      await running.system.stop();
      everything = [...(await allFiles(running.system.home)), inRedis, ...metrics, ...events];
      const { redis: redisLogins, session, nats, clickhouse, s3, s3Slabs, s3Root } = running.system.secrets;
      for (const [server, logins] of Object.entries({ nats, clickhouse, redis: redisLogins })) {
        for (const [user, value] of Object.entries(logins)) secrets.set(`${user} at ${server}`, value);
      }
      secrets.set('what signs sessions', session);
      secrets.set('the secret key of S3', s3.secretAccessKey);
      secrets.set('the secret key of slabs at S3', s3Slabs.secretAccessKey);
      secrets.set('the secret key of root at S3', s3Root.secretAccessKey);
    });

    const useKeys = async (first: string): Promise<string> => {
      const headers = { ...bearer(first), 'content-type': 'application/json', 'idempotency-key': 'once' };
      const requestOptions = { method: 'POST', headers, body: '{"name":"second"}' };
      const { value } = await output(created, send('/api/v1/keys', requestOptions));
      keyId = value.id;
      const { secret } = parseKey(value.secret);
      hash = secretHash(secret);
      secrets.set('the secret of the second key', secret);
      assert.equal((await send('/api/v1/keys', requestOptions)).status, 200);
      for (const path of [
        '/keys',
        '/plan',
        '/search?q=x',
        '/search?limit=x',
        '/markets/NO-SUCH',
        '/nothing',
        '/exports/formats',
      ]) {
        await send(`/api/v1${path}`, { headers: bearer(value.secret) });
      }
      await send('/api/v1/exports', {
        method: 'POST',
        headers: { ...bearer(value.secret), ...json },
        body: '{"event":"NO-SUCH"}',
      });
      await send('/api/v1/exports', { method: 'POST', headers: { ...bearer(value.secret), ...json }, body: '{' });
      return value.secret;
    };
    const useWrongKeys = async (key: string): Promise<void> => {
      const wrong = formatApiKey({ keyId, secret: newSecret() });
      secrets.set('a secret that is none', parseKey(wrong).secret);
      for (const text of [wrong, `${key}x`, key.slice(0, -1), key.toUpperCase(), `${key} ${key}`]) {
        assert.equal((await send('/api/v1/plan', { headers: bearer(text) })).status, 401);
        assert.equal((await send('/auth/session', { method: 'POST', headers: bearer(text) })).status, 401);
      }
      for (const authorization of [key, `Basic ${key}`, `Token ${key}`]) {
        assert.equal((await send('/api/v1/plan', { headers: { authorization } })).status, 401);
      }
      await send('/api/v1/plan', { headers: { 'x-api-key': key, 'x-request-id': 'x'.repeat(200) } });
      await send('/api/v1/exports', {
        method: 'POST',
        headers: { ...bearer(key), ...json },
        body: ' '.repeat(2_000_000),
      });
      await noHttp(running.system.baseUrls[0], key);
    };
    const useSessions = async (key: string): Promise<void> => {
      const origin = { origin: running.system.baseUrls[0] };
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const { value, response } = await output(
        opened,
        send('/auth/session', { method: 'POST', headers: { ...form, ...origin }, body: `api_key=${key}` }),
      );
      const [cookie = ''] = (response.headers.getSetCookie()[0] ?? '').split(';');
      secrets.set('the signature of a session', cookie.split('.').at(-1) ?? '');
      secrets.set('the token of a session', value.csrf_token);
      const headers = { cookie, ...origin, 'x-csrf-token': value.csrf_token, ...json };
      assert.equal((await send('/api/v1/keys', { headers })).status, 200);
      assert.equal((await send('/api/v1/plan', { headers })).status, 200);
      assert.equal((await send('/api/v1/keys/x', { method: 'DELETE', headers })).status, 404);
      assert.equal(
        (
          await send('/api/v1/keys', {
            method: 'POST',
            headers: { ...headers, origin: 'https://evil.example' },
            body: '{}',
          })
        ).status,
        403,
      );
      assert.equal(
        (await send('/auth/session', { method: 'POST', headers: form, body: `api_key=${key}` })).status,
        403,
      );
      assert.equal((await send('/auth/session', { method: 'DELETE', headers })).status, 200);
    };
    /** Causes errors, which produce most log lines. */
    const causeErrors = async (key: string): Promise<void> => {
      await running.system.kill('keys');
      const refused = async () => assert.equal((await send('/api/v1/plan', { headers: bearer(key) })).status, 503);
      await eventually(refused);
      await running.system.restart('keys');
      await eventually(async () => assert.equal((await send('/api/v1/plan', { headers: bearer(key) })).status, 200));
      assert.equal((await send(`/api/v1/keys/${keyId}`, { method: 'DELETE', headers: bearer(key) })).status, 200);
      await eventually(async () => assert.equal((await send('/api/v1/plan', { headers: bearer(key) })).status, 401));
    };

    const holding = (text: string, among: readonly Found[] = everything): string[] =>
      among.filter(({ bytes }) => bytes.includes(text)).map(({ at }) => at);

    it('appear in no log, event, metric, Redis value or file', () => {
      for (const [what, secret] of secrets) {
        assert.ok(secret.length >= 16, what);
        assert.deepEqual(holding(secret), [], what);
      }
    });
    it('appear only in the response that creates them', () => {
      for (const [what, secret] of secrets) assert.ok(!answered.some((text) => text.includes(secret)), what);
    });
    it('have a hash in the events of the keys and nowhere else', () => {
      const places = holding(hash);
      assert.ok(places.length > 0);
      for (const place of places) assert.match(place, /^nats\/|^events of EVT_KEYS$/);
    });
    it('were searched for in places that contain data', () => {
      const places = holding(keyId).join('\n');
      for (const part of [/^events of EVT_KEYS$/m, /^Redis$/m]) assert.match(places, part);
      for (const service of processNames)
        assert.ok(
          everything.some(({ at, bytes }) => at === `logs/${service}.log` && bytes.length > 0),
          service,
        );
      assert.ok(holding('almanac_rate_limit_leases_total').some((at) => at.startsWith('metrics of ')));
      assert.ok(holding('a request failed').includes('logs/gateway.log'));
    });
  });
};

const json = { 'content-type': 'application/json' };

/** Sends an invalid HTTP request that contains a key. */
const noHttp = (url: string, key: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const requestOptions = request(url, {
      method: 'GET',
      path: '/api/v1/plan',
      headers: { ...json, 'content-length': 'x', authorization: `Bearer ${key}` },
    });
    requestOptions
      .on('response', (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end();
  });

const allFiles = async (home: string): Promise<Found[]> => {
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = await Promise.all(
    paths.map(async (path) => ({ at: relative(home, path), bytes: await readFile(path) })),
  );
  return found.filter(({ at }) => !configuration.test(at));
};

const allMetrics = async ({ system }: SystemHarness): Promise<Found[]> =>
  Promise.all(
    processNames.map(async (service) => {
      const port = system.services.get(service)?.healthPort;
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
      assert.equal(answer.status, 200);
      return { at: `metrics of ${service}`, bytes: Buffer.from(await answer.arrayBuffer()) };
    }),
  );

const allEvents = async ({ system }: SystemHarness): Promise<Found[]> => {
  const bus = await connectOperator({ url: system.infrastructure.natsUrl, password: system.secrets.nats.operator });
  try {
    const found: Found[] = [];
    for (const stream of ['EVT_KEYS', 'EVT_COMMERCE', 'EVT_EXPORT'] as const) {
      const filter_subjects = patterns.allOf(stream);
      const consumer = await bus.js.consumers.get(stream, { filter_subjects, name_prefix: 'operator' });
      const events: string[] = [];
      const messages = await consumer.fetch({ max_messages: 1_000, expires: 1_500 });
      for await (const message of messages) events.push(message.subject, message.string());
      found.push({ at: `events of ${stream}`, bytes: Buffer.from(events.join('\n')) });
    }
    return found;
  } finally {
    await bus.close();
  }
};

/** All of Redis once it has this key, because uses of keys are written every few seconds. */
const allOfRedis = async ({ system }: SystemHarness, keyId: string): Promise<Found> => {
  const runtime = { log: createLogger('test', 'silent'), health: createHealth() };
  const login = { REDIS_USER: redisReader.user, REDIS_PASSWORD: redisReader.password };
  const config = { REDIS_URL: system.infrastructure.redisUrl, ...login };
  const redis = connectRedis({ config, runtime, without: 'the test fails' });
  try {
    await eventually(() => assert.equal(redis.status, 'ready'));
    return await eventually(async () => {
      const values = await Promise.all((await redis.keys('*')).map(async (key) => [key, await valueOf(redis, key)]));
      const text = JSON.stringify(values);
      assert.ok(text.includes(keyId), 'Redis does not have the key');
      return { at: 'Redis', bytes: Buffer.from(text) };
    });
  } finally {
    redis.disconnect();
  }
};

const valueOf = async (redis: Redis, key: string): Promise<unknown> => {
  const type = await redis.type(key);
  if (type === 'hash') return redis.hgetall(key);
  if (type === 'list') return redis.lrange(key, 0, -1);
  if (type === 'zset') return redis.zrange(key, '0', '-1');
  return redis.get(key);
};
