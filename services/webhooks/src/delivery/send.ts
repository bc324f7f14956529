import { type Agent, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { StoredWebhook } from '@almanac/contracts';
import { LostSecretError, type WebhookSecrets } from '../webhooks/secrets.js';
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
/** Of everything that a receiver sends for it: the handshake of TLS, informational answers, headers, extensions of chunks. */
const receivedBytesMax = 262_144;

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
  const attempt = async (
    webhook: StoredWebhook,
    message: WebhookMessage,
    { signal, onConnected }: { signal: AbortSignal; onConnected: () => void },
  ): Promise<number> => {
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
    const request = { agent, headers, lookup: addresses.lookupOf(url), signal };
    return post(url, request, { body: message.body, onConnected });
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
      let isConnected = false;
      const onConnected = (): void => void (isConnected = true);
      try {
        const status = await attempt(webhook, message, { signal: AbortSignal.any([signal, deadline]), onConnected });
        return outcome(status, status >= 200 && status < 300 ? null : failureOf(status));
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof LostSecretError) return outcome(null, error.message);
        if (isConnected && deadline.aborted) return outcome(null, `No answer within ${timeoutMs / 1_000} s.`);
        return outcome(null, isConnected ? brokenText(error) : unconnectedText(error));
      }
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
};

const failureOf = (status: number): string =>
  status >= 300 && status < 400 ? `Answered ${status}. Redirects are not followed.` : `Answered ${status}.`;

/** Without the code of the system, which tells a closed port from one that drops packets. */
const unconnectedText = (error: unknown): string => {
  if (error instanceof RefusedAddressError) return error.message;
  return codeOf(error) === 'ENOTFOUND' ? 'The host was not found.' : 'No connection.';
};

/** The code of the error. Its message has the address that a name resolved to. */
const brokenText = (error: unknown): string => `The connection broke (${codeOf(error)}).`;

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown');

const post = (
  url: URL,
  options: RequestOptions & { agent: Agent },
  { body, onConnected }: { body: string; onConnected: () => void },
): Promise<number> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
    let isTooLong = (): boolean => false;
    const request = send(url, { ...options, method: 'POST' }, (response) => {
      discard(response, isTooLong).then(() => resolve(response.statusCode ?? 0), reject);
    });
    request.on('information', () => {
      if (isTooLong()) request.destroy(Object.assign(new Error('the answer is too long'), { code: 'TOO_LONG' }));
    });
    request.on('socket', (socket) => {
      const before = socket.bytesRead;
      isTooLong = () => socket.bytesRead - before > receivedBytesMax;
      if (socket.readyState === 'open') onConnected();
      else socket.once('connect', onConnected);
    });
    request.on('error', reject);
    request.end(body);
  });

/** Reads a short answer to its end, so that its connection can be used again. */
const discard = async (response: IncomingMessage, isTooLong: () => boolean): Promise<void> => {
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes <= answerBytesMax && !isTooLong()) continue;
    response.destroy();
    return;
  }
};
