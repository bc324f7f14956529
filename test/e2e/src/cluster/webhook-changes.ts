import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { type ApiClient, post } from '../api.js';

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Receives deliveries by path. */
export const startReceiver = async () => {
  const byPath = new Map<string, Delivery[]>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      byPath.set(path, [...(byPath.get(path) ?? []), { headers, text: Buffer.concat(chunks).toString() }]);
      response.writeHead(200).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    at: (path: string): readonly Delivery[] => byPath.get(path) ?? [],
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** As Standard Webhooks describes it. */
const isSignedBy = (secret: string, { headers, text }: Delivery): boolean => {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
};

const withSecret = z.object({ id: z.string(), secret: z.string().nullable() });
const listed = z.object({ webhooks: z.array(z.object({ id: z.string() })) });
const waitMs = 120_000;
const pauseMs = 100;

export interface WebhookChanges {
  /** Requests by kind and status. */
  readonly counts: Readonly<Record<string, number>>;
  /** Resolves when the last webhook is deleted. Throws the first thing that was doubled, lost or wrong. */
  stop(): Promise<void>;
}

/**
 * Creates a webhook, rotates its secret, lets it send a test event and deletes it, one after the other, at the gateways in
 * turn. A request that was answered the first time has one effect, and its secrets sign.
 */
export const changeWebhooks = (openAccount: () => Promise<readonly ApiClient[]>): WebhookChanges => {
  const counts: Record<string, number> = {};
  let isOver = false;
  const working = (async () => {
    const receiver = await startReceiver();
    try {
      for (let turn = 0; !isOver; turn += 1) {
        // The operator's command is not sent again: its caller decides. Another account changes nothing here.
        const apis = await eventually(openAccount, { timeoutMs: waitMs });
        await oneWebhook({ apis, receiver, counts, turn });
        await delay(pauseMs);
      }
    } finally {
      receiver.stop();
    }
  })();
  // `stop` throws the failure.
  working.catch(() => undefined);
  return {
    counts,
    stop: async () => {
      isOver = true;
      await working;
    },
  };
};

interface Changing {
  readonly apis: readonly ApiClient[];
  readonly receiver: Receiver;
  readonly counts: Record<string, number>;
  readonly turn: number;
}

interface Answered {
  readonly status: number;
  readonly body: unknown;
  /** Nothing was repeated by the client. */
  readonly first: boolean;
}

/** Repeats a request as a client does, with the same key. */
const answered = async (
  { apis, counts, turn }: Changing,
  kind: string,
  request: readonly [string, Parameters<ApiClient['send']>[1]],
): Promise<Answered> => {
  let attempts = 0;
  return eventually(
    async () => {
      attempts += 1;
      const api = apis[(turn + attempts) % apis.length] ?? assert.fail('no gateway');
      const { status, bytes } = await api.send(...request);
      counts[`${kind} ${status}`] = (counts[`${kind} ${status}`] ?? 0) + 1;
      const text = bytes.toString('utf8');
      assert.notEqual(status, 503, text);
      return { status, body: JSON.parse(text) as unknown, first: attempts === 1 };
    },
    { timeoutMs: waitMs },
  );
};

const oneWebhook = async (changing: Changing): Promise<void> => {
  const { receiver } = changing;
  const path = `/${randomUUID()}`;
  const body = { url: `${receiver.url}${path}`, events: ['export.created'] };
  const created = await answered(changing, 'create', ['/webhooks', post(body, randomUUID())]);
  const { id, secret } = withSecret.parse(ok(created));
  if (created.first) assert.ok(secret, 'the answer to a first request has its secret');
  const { webhooks } = listed.parse(ok(await answered(changing, 'list', ['/webhooks', {}])));
  assert.deepEqual(
    webhooks.map((one) => one.id),
    [id],
    'one webhook is created',
  );
  const rotated = await answered(changing, 'rotate', [`/webhooks/${id}/rotate`, post()]);
  const newer = withSecret.parse(ok(rotated)).secret ?? assert.fail('a rotation shows its secret');
  const tested = await answered(changing, 'test', [`/webhooks/${id}/test`, post()]);
  ok(tested);
  await eventually(() => assert.ok(receiver.at(path).length > 0, `no delivery of ${id}`), { timeoutMs: waitMs });
  const deliveries = receiver.at(path);
  for (const delivery of deliveries) {
    assert.ok(isSignedBy(newer, delivery), 'the secret of the rotation signs');
    // A second rotation would have ended the first secret.
    if (rotated.first && secret !== null) assert.ok(isSignedBy(secret, delivery), 'the secret was rotated once');
  }
  const ids = new Set(deliveries.map(({ headers }) => headers['webhook-id']));
  if (tested.first) assert.equal(ids.size, 1, 'one test event is sent');
  const removed = await answered(changing, 'delete', [`/webhooks/${id}`, { method: 'DELETE' }]);
  if (removed.first) ok(removed);
  else assert.ok([200, 404].includes(removed.status), JSON.stringify(removed.body));
  assert.deepEqual(listed.parse(ok(await answered(changing, 'list', ['/webhooks', {}]))).webhooks, []);
};

const ok = ({ status, body }: Answered): unknown => {
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
