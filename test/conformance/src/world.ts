import { storeArchive } from '@almanac/system';
import { poll, type RunningSystem, startRunning } from '@almanac/test-e2e';
import { archives } from './archive.js';
import { type Answer, jsonOf, type Request, send } from './http.js';
import { type PublishedCheck, publishedCheck } from './published.js';
import { checkShape, isRecord } from './shape.js';

/** Longer than any call inside may take: who waits so long was forgotten. */
const answerMsMax = 60_000;

/** No export of `pro` may be pending, so that a limit of the plan can be met at once. */
const commerceTerms = JSON.stringify({ pro: { exportsPending: 0 } });

/** As many requests as the table has, but none for `full_book`. */
const gatewayTerms = JSON.stringify({
  free: { requestsPerMinute: 1_000_000 },
  pro: { requestsPerMinute: 1_000_000 },
  full_book: { requestsPerMinute: 0 },
});

/**
 * Who asks, each an account of its own: `internal` without limits, `spent` on the free plan without a credit, `idle` on
 * the plan above, `crowded` on the free plan with all its keys, `hurried` may send no
 * request; `stranger` is none and sends no key.
 */
export type Who = 'internal' | 'spent' | 'idle' | 'crowded' | 'hurried' | 'stranger';

/** A request of the table. Names in braces in the path stand for things of the internal account, `{key}` in a header for the key. */
export type Ask = Pick<Request, 'path'> & Partial<Request> & { readonly who?: Who };

/** The whole system with the archive of this package. Every answer that it gives is checked, against what it publishes too. */
export interface World {
  ask(request: Ask): Promise<Answer>;
  /** What it publishes of itself, OpenAPI 3.1. */
  readonly document: unknown;
  stop(): Promise<void>;
}

export const startWorld = async (): Promise<World> => {
  const running = await startRunning({
    environment: { commerce: { PLAN_TERMS: commerceTerms }, gateway: { PLAN_TERMS: gatewayTerms } },
  });
  try {
    for (const archive of archives) await storeArchive(running.system, archive);
    const path = '/openapi.json';
    const [baseUrl] = running.system.baseUrls;
    const document = jsonOf(await send(baseUrl, { method: 'GET', path, headers: {} }, answerMsMax));
    return { ask: asker(running, publishedCheck(document)), document, stop: () => running.stop() };
  } catch (error) {
    await running.stop();
    throw error;
  }
};

type Plain = (asked: Ask, key: string) => Promise<Answer>;

const asker = (running: RunningSystem, published: PublishedCheck): World['ask'] => {
  const plain: Plain = async (asked, key) => {
    const { method = 'GET', body, headers: own = {} } = asked;
    const given = Object.entries(own).map(([name, value]) => [name, value.replaceAll('{key}', key)] as const);
    const named = new Set(given.map(([name]) => name.toLowerCase()));
    const headers: Record<string, string> = Object.fromEntries(given);
    if (asked.who !== 'stranger' && !named.has('authorization')) headers['authorization'] = `Bearer ${key}`;
    if (body !== undefined && !named.has('content-type')) headers['content-type'] = 'application/json';
    const request = { method, headers, path: `/api/v1${asked.path}`, ...(body === undefined ? {} : { body }) };
    const answer = await send(running.system.baseUrls[0], request, answerMsMax);
    checkShape(request, answer);
    published(request, answer);
    return answer;
  };
  const keyOf = remembered((who: Who) => accounts[who](running, plain));
  const thing = remembered(async (name: keyof typeof things) => things[name](plain, await keyOf('internal')));
  return async (asked) => {
    let { path } = asked;
    for (const name of thingNames) if (path.includes(name)) path = path.replace(name, await thing(name));
    return plain({ ...asked, path }, await keyOf(asked.who ?? 'internal'));
  };
};

/** Makes each thing at the first time that it is wanted. */
const remembered = <Name, Made>(make: (name: Name) => Promise<Made>): ((name: Name) => Promise<Made>) => {
  const made = new Map<Name, Promise<Made>>();
  return (name) => {
    const known = made.get(name) ?? make(name);
    made.set(name, known);
    return known;
  };
};

const accounts: Readonly<Record<Who, (running: RunningSystem, plain: Plain) => Promise<string>>> = {
  internal: (running) => running.key('internal'),
  stranger: (running) => running.key('internal'),
  idle: (running) => running.key('pro'),
  hurried: (running) => running.key('full_book'),
  spent: async (running, plain) => {
    const key = await running.key('free');
    await readyExport(plain, key);
    return key;
  },
  crowded: async (running, plain) => {
    const key = await running.key('free');
    await made(plain, key, { path: '/keys', body: { name: 'second of two' } });
    return key;
  },
};

const made = async (plain: Plain, key: string, { path, body }: { path: string; body: object }): Promise<string> =>
  textOf(await plain({ method: 'POST', path, body: JSON.stringify(body) }, key), 'id');

const newExport = { path: '/exports', body: { event: 'CF-TICKS-E' } };

const readyExport = async (plain: Plain, key: string): Promise<string> => {
  const id = await made(plain, key, newExport);
  await poll(
    async () => textOf(await plain({ path: `/exports/${id}` }, key), 'status'),
    (status) => status === 'ready',
  );
  return id;
};

/** How a thing that a path names in braces comes to be. */
const things = {
  '{export_id}': (plain: Plain, key: string) => made(plain, key, newExport),
  '{ready_export_id}': readyExport,
  '{key_id}': (plain: Plain, key: string) => made(plain, key, { path: '/keys', body: { name: 'to be revoked' } }),
} as const;
const thingNames = ['{export_id}', '{ready_export_id}', '{key_id}'] as const;

const textOf = (answer: Answer, field: string): string => {
  const body = jsonOf(answer);
  const value = isRecord(body) ? body[field] : undefined;
  if (typeof value !== 'string') throw new Error(`no ${field} in ${answer.bytes.toString('utf8').slice(0, 500)}`);
  return value;
};
