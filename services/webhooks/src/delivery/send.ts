import { type Agent, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { StoredWebhook } from '@almanac/contracts';
import type { WebhookSecrets } from '../webhooks/secrets.js';
import { type Addresses, RefusedAddressError } from '../webhooks/addresses.js';

/** A message in the form of Standard Webhooks. */
export interface WebhookMessage {
  readonly id: string;
  readonly body: string;
}

export interface Outcome {
  readonly status: number | null;
  /** Why the attempt failed, for the owner of the webhook. Null if it succeeded. */
  readonly error: string | null;
  readonly ms: number;
}

export interface Sender {
  send(webhook: StoredWebhook, message: WebhookMessage, signal: AbortSignal): Promise<Outcome>;
  close(): void;
}

/** Of an answer, nothing but its status matters. A longer body ends the connection. */
const answerBytesMax = 16_384;

export const sender = ({
  addresses,
  secrets,
  timeoutMs,
}: {
  addresses: Addresses;
  secrets: WebhookSecrets;
  timeoutMs: number;
}): Sender => {
  // Idle connections go to addresses that were checked. The lookup is repeated for each new one.
  const options = { keepAlive: true, maxFreeSockets: 64, scheduling: 'lifo' as const };
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };
  const attempt = async (webhook: StoredWebhook, message: WebhookMessage, signal: AbortSignal): Promise<number> => {
    const url = addresses.urlOf(webhook.url);
    const timestamp = Math.floor(Date.now() / 1_000);
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(message.body),
      'user-agent': 'Almanac-Webhooks/1',
      'webhook-id': message.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': secrets.signatures(webhook, { ...message, timestamp }),
    };
    const agent = url.protocol === 'http:' ? agents['http:'] : agents['https:'];
    return post(url, { agent, headers, lookup: addresses.lookup, signal }, message.body);
  };
  return {
    send: async (webhook, message, signal) => {
      const beganAt = performance.now();
      const deadline = AbortSignal.timeout(timeoutMs);
      const outcome = (status: number | null, error: string | null): Outcome => ({
        status,
        error,
        ms: Math.round(performance.now() - beganAt),
      });
      try {
        const status = await attempt(webhook, message, AbortSignal.any([signal, deadline]));
        return outcome(status, status >= 200 && status < 300 ? null : failureOf(status));
      } catch (error) {
        signal.throwIfAborted();
        if (deadline.aborted) return outcome(null, `No answer within ${timeoutMs / 1_000} s.`);
        return outcome(null, textOf(error));
      }
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
};

const failureOf = (status: number): string =>
  status >= 300 && status < 400 ? `Answered ${status}. Redirects are not followed.` : `Answered ${status}.`;

/** The code of a connection error. Its message has the address that a name resolved to. */
const textOf = (error: unknown): string => {
  if (error instanceof RefusedAddressError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return `No connection (${code}).`;
};

const post = (url: URL, options: RequestOptions & { agent: Agent }, body: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
    const request = send(url, { ...options, method: 'POST' }, (response) => {
      discard(response).then(() => resolve(response.statusCode ?? 0), reject);
    });
    request.on('error', reject);
    request.end(body);
  });

/** Reads a short answer to its end, so that its connection can be used again. */
const discard = async (response: IncomingMessage): Promise<void> => {
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes <= answerBytesMax) continue;
    response.destroy();
    return;
  }
};
