import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
}

/** An HTTP server that stands in for the receiver of an account. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** The answer to each delivery. Default: 200. Undefined: no answer. */
  answer: (received: Received) => number | undefined | Promise<number>;
  /** Headers of each answer. */
  headers: Record<string, string>;
  stop(): Promise<void>;
}

export const startReceiver = async (): Promise<Receiver> => {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { url: path = '', headers } = request;
      const one: Received = { path, headers, text, body: JSON.parse(text) as Received['body'] };
      received.push(one);
      void Promise.resolve(receiver.answer(one)).then((status) => {
        if (status !== undefined) response.writeHead(status, receiver.headers).end('thanks');
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: () => 200,
    headers: {},
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await delay(0);
    },
  };
  return receiver;
};

/** Whether the delivery has a signature of this secret, computed as Standard Webhooks describes it. */
export const isSignedBy = (secret: string | null, { headers, text }: Received): boolean => {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`;
  const key = Buffer.from(String(secret).replace('whsec_', ''), 'base64');
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
};
