import { storeArchive } from '@almanac/operator';
import { poll, type SystemHarness, startHarness } from '@almanac/test-e2e';
import { archives } from './archive.js';
import { type Answer, jsonOf, type Request, send } from './http.js';
import { type Patience, type Received, sendBytes } from './raw-http.js';
import { type PublishedCheck, publishedCheck } from './published.js';
import { type RefusedReads, refusedReads } from './refused-reads.js';
import { checkShape, isRecord } from './shape.js';

/** Longer than any internal call may take. A later answer is a lost request. */
const answerMsMax = 60_000;

/** `pro` allows no pending export, so that a test meets a limit of the plan at once. */
const commerceTerms = JSON.stringify({ pro: { exportsPending: 0 } });

/** As many requests as the table has, and none for `full_book`. */
const gatewayTerms = JSON.stringify({
  free: { requestsPerMinute: 1_000_000 },
  pro: { requestsPerMinute: 1_000_000 },
  full_book: { requestsPerMinute: 0 },
});

/**
 * The accounts of the tests: `internal` without limits, `spent` on the free plan without a credit, `idle` on the plan
 * above, `crowded` on the free plan with all its keys, `hurried` with no requests left. `stranger` sends no key.
 */
export type Who = 'internal' | 'spent' | 'idle' | 'crowded' | 'hurried' | 'stranger';

/**
 * A request of the table. Names in braces in the path stand for resources of the internal account, `{key}` in a header
 * for its key.
 */
export type CaseRequest = Pick<Request, 'path'> & Partial<Request> & { readonly who?: Who };

/** The whole system with the archive of this package. It checks every answer, also against the published document. */
export interface ConformanceHarness {
  request(request: CaseRequest): Promise<Answer>;
  /** Sends text, with `{key}` for an API key, and returns what comes back. See `sendBytes`. */
  raw(text: string, patience: Patience): Promise<Received>;
  /** The published OpenAPI 3.2 document. */
  readonly document: unknown;
  readonly refused: RefusedReads;
  stop(): Promise<void>;
}

export const startConformanceHarness = async (): Promise<ConformanceHarness> => {
  const running = await startHarness({
    environment: { commerce: { PLAN_TERMS: commerceTerms }, gateway: { PLAN_TERMS: gatewayTerms } },
  });
  try {
    for (const archive of archives) await storeArchive(running.system, archive);
    const path = '/openapi.json';
    const [baseUrl] = running.system.baseUrls;
    const document = jsonOf(await send(baseUrl, { method: 'GET', path, headers: {} }, answerMsMax));
    const rawKey = await running.key('internal');
    const refused = refusedReads();
    return {
      refused,
      request: createRequester(running, publishedCheck(document), refused),
      raw: (text, patience) => {
        const bytes = Buffer.from(text.replaceAll('{key}', rawKey), 'latin1');
        return sendBytes(baseUrl, bytes, { ...patience, timeoutMs: answerMsMax });
      },
      document,
      stop: () => running.stop(),
    };
  } catch (error) {
    await running.stop();
    throw error;
  }
};

const reads: ReadonlySet<string> = new Set(['GET', 'HEAD']);

type Plain = (caseRequest: CaseRequest, key: string) => Promise<Answer>;

const createRequester = (
  running: SystemHarness,
  published: PublishedCheck,
  refused: RefusedReads,
): ConformanceHarness['request'] => {
  const plain: Plain = async (caseRequest, key) => {
    const { method = 'GET', body, headers: callerHeaders = {} } = caseRequest;
    const given = Object.entries(callerHeaders).map(([name, value]) => [name, value.replaceAll('{key}', key)] as const);
    const named = new Set(given.map(([name]) => name.toLowerCase()));
    const headers: Record<string, string> = Object.fromEntries(given);
    if (caseRequest.who !== 'stranger' && !named.has('authorization')) headers['authorization'] = `Bearer ${key}`;
    if (body !== undefined && !named.has('content-type')) headers['content-type'] = 'application/json';
    const request = { method, headers, path: `/api/v1${caseRequest.path}`, ...(body === undefined ? {} : { body }) };
    const answer = await poll(
      () => send(running.system.baseUrls[0], request, answerMsMax),
      // A busy system may refuse a read for a while.
      (received) => {
        if (received.status !== 503 || !reads.has(method)) return true;
        refused.add(request, received);
        return false;
      },
      { everyMs: 250 },
    );
    checkShape(request, answer);
    published(request, answer);
    return answer;
  };
  const keyOf = memoize((who: Who) => accounts[who](running, plain));
  const entity = memoize(async (name: keyof typeof entities) => entities[name](plain, await keyOf('internal')));
  return async (caseRequest) => {
    const named = async (text: string): Promise<string> => {
      let filled = text;
      for (const name of entityNames) if (filled.includes(name)) filled = filled.replace(name, await entity(name));
      return filled;
    };
    const { body } = caseRequest;
    const filled = typeof body === 'string' ? { body: await named(body) } : {};
    return plain(
      { ...caseRequest, ...filled, path: await named(caseRequest.path) },
      await keyOf(caseRequest.who ?? 'internal'),
    );
  };
};

/** Creates each entity at its first use. */
const memoize = <Name, Made>(make: (name: Name) => Promise<Made>): ((name: Name) => Promise<Made>) => {
  const made = new Map<Name, Promise<Made>>();
  return (name) => {
    const known = made.get(name) ?? make(name);
    made.set(name, known);
    return known;
  };
};

const accounts: Readonly<Record<Who, (running: SystemHarness, plain: Plain) => Promise<string>>> = {
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

const newWebhook = { path: '/webhooks', body: { url: 'https://receiver.invalid/', events: ['export.failed'] } };
const newExport = { path: '/exports', body: { event: 'CF-TICKS-E' } };

const readyExport = async (plain: Plain, key: string): Promise<string> => {
  const id = await made(plain, key, newExport);
  await poll(
    async () => textOf(await plain({ path: `/exports/${id}` }, key), 'status'),
    (status) => status === 'ready',
  );
  return id;
};

/** The dataset of a ready export. */
const readyDataset = async (plain: Plain, key: string): Promise<string> =>
  textOf(await plain({ path: `/exports/${await readyExport(plain, key)}` }, key), 'dataset_id');

/** How to create the resource that a path names in braces. */
const entities = {
  '{export_id}': (plain: Plain, key: string) => made(plain, key, newExport),
  '{ready_export_id}': readyExport,
  '{dataset_id}': readyDataset,
  '{webhook_id}': (plain: Plain, key: string) => made(plain, key, newWebhook),
  '{deleted_webhook_id}': (plain: Plain, key: string) => made(plain, key, newWebhook),
  '{key_id}': (plain: Plain, key: string) => made(plain, key, { path: '/keys', body: { name: 'to be revoked' } }),
} as const;
const entityNames = [
  '{export_id}',
  '{ready_export_id}',
  '{dataset_id}',
  '{webhook_id}',
  '{deleted_webhook_id}',
  '{key_id}',
] as const;

const textOf = (answer: Answer, field: string): string => {
  const body = jsonOf(answer);
  const value = isRecord(body) ? body[field] : undefined;
  if (typeof value !== 'string') throw new Error(`no ${field} in ${answer.bytes.toString('utf8').slice(0, 500)}`);
  return value;
};
