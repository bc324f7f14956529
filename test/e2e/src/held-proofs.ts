import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportResponse, webhooksRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { type ApiClient, apiClient, post } from './api.js';

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const startReceiver = async () => {
  const deliveries: Delivery[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      deliveries.push({ headers: request.headers, body });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    deliveries,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** As a receiver verifies it, by Standard Webhooks. */
const isSigned = ({ headers, body }: Delivery, secret: string): boolean => {
  const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(text).digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${signature}`);
};

/** What users hold of a system, and what depends on its secrets or on state beside its streams and tables. */
export const holdProofs = async (baseUrl: string, api: ApiClient, ticker: string) => {
  const receiver = await startReceiver();
  const body = { url: receiver.url, events: ['export.ready'] };
  const webhook = await api.json(webhooksRpc.create.output, '/webhooks', post(body));
  const secret = webhook.secret ?? assert.fail('no secret');
  const login = await fetch(`${baseUrl}/auth/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.key}` },
  });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? assert.fail(`login answered ${login.status}`);
  const etag = (await api.send(`/markets/${ticker}`)).headers.get('etag') ?? assert.fail('no ETag');
  const requested = post({ ticker }, 'requested-before-the-backup');
  const { id } = await api.json(exportResponse, '/exports', requested);
  return {
    /** Throws if something that a user holds is no longer valid. */
    check: async (atUrl: string): Promise<void> => {
      const client = apiClient(atUrl, api.key);
      const { length } = receiver.deliveries;
      await client.send(`/webhooks/${webhook.id}/test`, post());
      await eventually(() => assert.ok(receiver.deliveries.slice(length).some((one) => isSigned(one, secret))));
      const bySession = await fetch(`${atUrl}/api/v1/plan`, { headers: { cookie } });
      assert.equal(bySession.status, 200, 'the session');
      const unchanged = await client.send(`/markets/${ticker}`, { headers: { 'if-none-match': etag } });
      assert.equal(unchanged.status, 304, 'the ETag');
      assert.equal((await client.json(exportResponse, '/exports', requested)).id, id, 'the idempotency key');
    },
    stop: receiver.stop,
  };
};
