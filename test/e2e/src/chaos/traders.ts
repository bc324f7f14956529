import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { StandIn } from '@almanac/test-stripe';
import { type ApiClient, errorBody } from '../api.js';

/** An account, at every gateway. */
export interface Trader {
  readonly account: string;
  readonly apis: readonly ApiClient[];
  /** Events that it has not yet gone for. */
  readonly wanted: string[];
  /** Events that it was told are unlocked, and never gives back. */
  readonly unlocked: string[];
}

/** An export that the API answered 200: from then on it owes a file. */
export interface Granted {
  readonly trader: Trader;
  readonly id: string;
}

export interface Trade {
  readonly standIn: StandIn;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  readonly traders: readonly Trader[];
  readonly granted: Granted[];
  /** Aborted when something was wrong: nobody goes on then. */
  readonly over: AbortController;
  readonly counts: { purchases: number; doubled: number; answered: number; again: number };
}

export const oneOf = <T>({ random }: Pick<Trade, 'random'>, things: readonly T[]): T => {
  const chosen = things[Math.floor(random() * things.length)];
  if (chosen === undefined) throw new Error('there is nothing to choose from');
  return chosen;
};

export interface Told {
  readonly status: number;
  readonly body: unknown;
  /** Of a refusal; else empty. */
  readonly code: string;
}

const patienceMs = 180_000;

/**
 * What a client does when things break: it asks again, at any gateway, until it is answered for good. Nobody answers, 5xx
 * and 429 are not for good; every other answer is.
 */
export const insist = async (
  trade: Trade,
  { apis }: Pick<Trader, 'apis'>,
  path: string,
  init: Parameters<ApiClient['send']>[1] = {},
): Promise<Told> => {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    trade.over.signal.throwIfAborted();
    const { status, text } = await oneOf(trade, apis)
      .send(path, init)
      .then(
        (answer) => ({ status: answer.status, text: answer.bytes.toString('utf8') }),
        (error: unknown) => ({ status: 0, text: String(error) }),
      );
    if (status !== 0 && status < 500 && status !== 429) {
      trade.counts.answered += 1;
      const body: unknown = JSON.parse(text);
      return { status, body, code: errorBody.safeParse(body).data?.code ?? '' };
    }
    if (performance.now() > deadline) throw new Error(`${path} is not answered: ${status} ${text.slice(0, 500)}`);
    trade.counts.again += 1;
    await delay(200 + trade.random() * 400);
  }
};

/** A POST; with a key it may be repeated. */
export const post = (
  body: unknown,
  key?: string,
): { method: string; body: string; headers: Record<string, string> } => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: key === undefined ? {} : { 'idempotency-key': key },
});

/** The same request under one key, sometimes twice at the same time. */
export const keyed = async (trade: Trade, trader: Trader, path: string, body: unknown): Promise<Told[]> => {
  const key = randomUUID();
  const ask = (): Promise<Told> => insist(trade, trader, path, post(body, key));
  if (trade.random() > 0.3) return [await ask()];
  trade.counts.doubled += 1;
  return Promise.all([ask(), ask()]);
};
