import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiClient, errorBody, post } from '../api.js';

/** The context of requests during faults. */
export interface RetryContext {
  /** Seeded numbers from 0 to 1. */
  readonly random: () => number;
  /** Aborted after a failure, which stops all clients. */
  readonly over: AbortController;
  readonly counts: { answered: number; again: number; doubled: number };
  /** Whether a fault with this in its name lasted since then, so that a request could remain without a whole answer. */
  readonly wasFaulty?: (name: RegExp, since: number) => boolean;
}

export const oneOf = <T>({ random }: Pick<RetryContext, 'random'>, items: readonly T[]): T => {
  const chosen = items[Math.floor(random() * items.length)];
  if (chosen === undefined) throw new Error('there is nothing to choose from');
  return chosen;
};

export interface FinalAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The error code of a refusal, otherwise empty. */
  readonly code: string;
}

/**
 * What may leave a request without a whole answer: a lost gateway, and for an answer that has begun, whatever sends its
 * rest. The status is sent by then, so only the end of the connection can tell the client.
 */
const explainedBy = (failure: string): RegExp =>
  failure.startsWith('terminated') ? /gateway|everything|nats|timeseries|catalog|export/ : /gateway|everything/;

const timeoutMs = 180_000;
/** The longest deadline of a call is 20 s, and a gateway may be frozen for some seconds more. */
const answerMsMax = 45_000;

/**
 * Repeats a request at any gateway until it gets a final answer, as a client does during faults. No answer, 5xx and 429
 * are not final. Every other answer is.
 */
export const retryUntilFinal = async (
  context: RetryContext,
  { apis }: { readonly apis: readonly ApiClient[] },
  path: string,
  init: Parameters<ApiClient['send']>[1] = {},
): Promise<FinalAnswer> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    context.over.signal.throwIfAborted();
    const began = performance.now();
    const { status, headers, text } = await oneOf(context, apis)
      .send(path, init)
      .then(
        (answer) => ({ ...answer, text: answer.bytes.toString('utf8') }),
        (error: unknown) => ({ status: 0, headers: new Headers(), text: messageOf(error) }),
      );
    const what = `${init.method ?? 'GET'} ${path} answered ${status} after ${Math.round(performance.now() - began)} ms`;
    if (status === 0) assert.ok(context.wasFaulty?.(explainedBy(text), began) ?? true, `${what}: ${text}`);
    else assertCorrectFailure({ status, headers, text }, what);
    assert.ok(performance.now() - began < answerMsMax, what);
    if (status !== 0 && status < 500 && status !== 429) {
      context.counts.answered += 1;
      const body: unknown = JSON.parse(text);
      return { status, body, code: errorBody.safeParse(body).data?.code ?? '' };
    }
    if (performance.now() > deadline) throw new Error(`${path} is not answered: ${status} ${text.slice(0, 500)}`);
    context.counts.again += 1;
    await delay(200 + context.random() * 400);
  }
};

/** The cause of a failed fetch has the reason. */
const messageOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : String(error);

const laterCodes = ['unavailable', 'conflict'];

/** During faults, a request that cannot be served is 503, says when to repeat it, and is an error in JSON. */
export const assertCorrectFailure = (
  { status, headers, text }: { readonly status: number; readonly headers: Headers; readonly text: string },
  what: string,
): void => {
  if (status < 500) return;
  assert.equal(status, 503, `${what}: ${text.slice(0, 500)}`);
  assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/, what);
  assert.match(headers.get('content-type') ?? '', /^application\/json/, what);
  assert.ok(laterCodes.includes(errorBody.parse(JSON.parse(text)).code), `${what}: ${text.slice(0, 500)}`);
};

/** Sends the same request under one new key, sometimes twice concurrently. */
export const sendWithIdempotencyKey = async (
  context: RetryContext,
  who: Parameters<typeof retryUntilFinal>[1],
  path: string,
  body: object,
): Promise<FinalAnswer[]> => {
  const key = randomUUID();
  const send = (): Promise<FinalAnswer> => retryUntilFinal(context, who, path, post(body, key));
  if (context.random() > 0.3) return [await send()];
  context.counts.doubled += 1;
  return Promise.all([send(), send()]);
};

/** Throws unless the status was 200. */
export const answerOf = <T>(shape: { parse(body: unknown): T }, { status, body }: FinalAnswer): T => {
  assert.equal(status, 200, JSON.stringify(body));
  return shape.parse(body);
};
