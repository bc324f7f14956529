import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiContext, endpoints } from './api.js';
import { createPeople, type People } from './people.js';
import { createFaults, type FaultKind, type Faults, refusalOf } from './faults.js';
import { parseForm } from './form.js';
import { type StoredAnswer, createKeys, type Keys } from './idempotency.js';
import { createLedger, type Ledger } from './ledger.js';
import { StripeRefusal } from './refusal.js';
import { createWebhooks, type Webhooks } from './webhooks.js';

export interface FakeStripeOptions {
  /** 0 chooses a free port. */
  readonly port?: number;
  /** Prices from the dashboard: minor units by id. */
  readonly prices?: Readonly<Record<string, number>>;
  readonly secretKey?: string;
  readonly webhookSecret?: string;
}

/** A fake Stripe on loopback: the same object shapes, no real money, and failures on demand. */
export interface FakeStripe {
  readonly url: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly ledger: Ledger;
  readonly people: People;
  readonly faults: Faults;
  readonly webhooks: Webhooks;
  /** Forbidden calls of the client. A test ends by asserting that this is empty. */
  readonly violations: readonly string[];
  stop(): Promise<void>;
}

export const startFakeStripe = async (options: FakeStripeOptions = {}): Promise<FakeStripe> => {
  const {
    port = 0,
    prices = {},
    secretKey = `sk_test_${randomUUID()}`,
    webhookSecret = `whsec_${randomUUID()}`,
  } = options;
  const ledger = createLedger();
  const webhooks = createWebhooks(webhookSecret);
  const context = { ledger, prices, url: () => url, emit: webhooks.emit };
  const people = createPeople(context);
  const faults = createFaults();
  const keys = createKeys();

  const answer = requestHandler({ context, people, faults, keys, secretKey });
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      process.emitWarning(error instanceof Error ? error : String(error));
      response.destroy();
    });
  });
  await listen(server, port);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    secretKey,
    webhookSecret,
    ledger,
    people,
    faults,
    webhooks,
    violations: keys.violations,
    stop: async () => {
      await webhooks.stop();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

interface HandlerContext {
  readonly context: ApiContext;
  readonly people: People;
  readonly faults: Faults;
  readonly keys: Keys;
  readonly secretKey: string;
}

const requestHandler =
  ({ context, people, faults, keys, secretKey }: HandlerContext) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const address = new URL(request.url ?? '/', 'http://127.0.0.1');
    const method = request.method ?? 'GET';
    const call = `${method} ${address.pathname}`;
    const text = await bodyOf(request);
    if (!address.pathname.startsWith('/v1/')) return page(response, people, call);
    const fault = faults.take(call);
    if (fault === 'cut' || fault === 'hang') return dropConnection(request, fault);
    if (fault === 'slow') await delay(200);
    const key = header(request, 'idempotency-key');
    let answered: StoredAnswer;
    try {
      if (header(request, 'authorization') !== `Bearer ${secretKey}`) throw unauthorised();
      const refusal = fault && refusalOf(fault);
      if (refusal !== undefined) throw refusal;
      const known = method === 'POST' ? keys.begin(key, `${call} ${text}`) : undefined;
      if (known !== undefined) return write(response, known, { 'idempotent-replayed': 'true' });
      answered = work(context, { call, text: method === 'POST' ? text : address.search.slice(1), fault });
      if (method === 'POST') keys.end(key, answered);
    } catch (error) {
      answered = refused(error);
    }
    if (fault === 'cut_after' || fault === 'hang_after') return dropConnection(request, fault);
    write(response, answered, key === undefined ? {} : { 'idempotency-key': key });
  };

/** Runs the call atomically. A refusal is an answer that is stored too. */
const work = (
  context: ApiContext,
  { call, text, fault }: { call: string; text: string; fault: FaultKind | undefined },
): StoredAnswer => {
  try {
    const { endpoint, id } = endpointOf(call);
    const done = endpoint(context, parseForm(text), id);
    return fault === 'error_after' ? refused(brokenDown()) : answeredWith(200, done);
  } catch (error) {
    return refused(error);
  }
};

const endpointOf = (call: string): { endpoint: (typeof endpoints)[string]; id: string } => {
  const exact = endpoints[call];
  if (exact !== undefined) return { endpoint: exact, id: '' };
  for (const [pattern, endpoint] of Object.entries(endpoints)) {
    const found = new RegExp(`^${pattern.replace(':id', '([A-Za-z0-9_]+)')}$`).exec(call);
    if (found?.[1] !== undefined) return { endpoint, id: found[1] };
  }
  throw new StripeRefusal(404, { type: 'invalid_request_error', message: `Unrecognized request URL (${call}).` });
};

const unauthorised = (): StripeRefusal =>
  new StripeRefusal(401, { type: 'invalid_request_error', message: 'Invalid API Key provided.' });

const brokenDown = (): StripeRefusal =>
  new StripeRefusal(500, { type: 'api_error', message: 'An unknown error occurred.' });

const answeredWith = (status: number, body: object): StoredAnswer => ({ status, body: JSON.stringify(body) });

const refused = (error: unknown): StoredAnswer => {
  if (!(error instanceof StripeRefusal)) throw error;
  return answeredWith(error.status, { error: error.error });
};

const header = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) chunks.push(part);
  return Buffer.concat(chunks).toString('utf8');
};

const write = (response: ServerResponse, { status, body }: StoredAnswer, headers: Record<string, string>): void => {
  const id = { 'request-id': `req_${randomUUID()}`, 'content-type': 'application/json' };
  response.writeHead(status, { ...id, ...headers }).end(body);
};

/** Sends no answer: the connection breaks, or the client times out. */
const dropConnection = (request: IncomingMessage, fault: FaultKind): void => {
  if (fault.startsWith('cut')) request.socket.destroy();
};

/** The pages for a buyer. `curl -X POST` on one pays. */
const page = (response: ServerResponse, people: People, call: string): void => {
  const id = /^(?:GET|POST) \/pay\/(\w+)$/.exec(call)?.[1];
  if (id === undefined) return void response.writeHead(404).end('There is no such page.\n');
  if (call.startsWith('GET')) return void response.end('To pay, POST to this address.\n');
  try {
    people.pay(id);
    response.end('Paid.\n');
  } catch (error) {
    response.writeHead(409).end(`${error instanceof Error ? error.message : String(error)}\n`);
  }
};

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve());
  });
