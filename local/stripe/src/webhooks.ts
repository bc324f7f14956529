import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stripe } from 'stripe';
import { newId, nowS } from './ledger.js';
import type { Json } from './objects/json.js';

/** Accepts a webhook as HTTP would, and returns its status. */
export type Receiver = (body: string, signature: string) => Promise<number>;

export interface HeldEvent {
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

export interface Webhooks {
  /** All events, in order. */
  readonly events: readonly HeldEvent[];
  /** Sets the receiver of events, which are sent one by one. Null holds them for `deliver`. */
  send(to: Receiver | null): void;
  readonly emit: <T extends Stripe.Event.Type>(type: T, object: EventSubject<T>) => void;
  /** Signs the body as Stripe does, with the given time (Unix seconds) and secret. */
  readonly sign: (body: string, how?: { at?: number; secret?: string }) => string;
  /** Delivers these to one receiver, and repeats each until it is accepted. */
  deliver(to: Receiver, events: readonly HeldEvent[]): Promise<void>;
  stop(): Promise<void>;
}

/** The object of an event type, such as a charge. */
export type EventSubject<T extends Stripe.Event.Type> = Json<Extract<Stripe.Event, { type: T }>['data']['object']>;

const againMs = 100;
const attemptsMax = 600;

export const createWebhooks = (secret: string): Webhooks => {
  const events: HeldEvent[] = [];
  const sending = new Set<Promise<void>>();
  let receiver: Receiver | null = null;
  let stopped = false;

  const sign = (body: string, { at = nowS(), secret: by = secret }: { at?: number; secret?: string } = {}): string =>
    `t=${at},v1=${createHmac('sha256', by).update(`${at}.${body}`).digest('hex')}`;

  const deliverOne = async (to: Receiver, { body, type }: HeldEvent): Promise<void> => {
    for (let attempt = 0; attempt < attemptsMax && !stopped; attempt += 1) {
      // Stripe repeats a webhook while the receiver is unavailable.
      const status = await to(body, sign(body)).catch(() => 0);
      if (status >= 200 && status < 300) return;
      await delay(againMs);
    }
    if (!stopped) throw new Error(`nobody took ${type} in ${attemptsMax} attempts`);
  };

  return {
    events,
    send: (to) => {
      receiver = to;
    },
    emit: (type, object) => {
      const event = eventObject(type, object);
      const held = { id: event.id, type, body: JSON.stringify(event, undefined, 2) };
      events.push(held);
      if (receiver === null) return;
      const sent = deliverOne(receiver, held)
        .catch((error: unknown) => {
          process.emitWarning(error instanceof Error ? error : String(error));
        })
        .finally(() => sending.delete(sent));
      sending.add(sent);
    },
    sign,
    deliver: async (to, held) => {
      for (const event of held) await deliverOne(to, event);
    },
    stop: async () => {
      stopped = true;
      await Promise.all(sending);
    },
  };
};

const apiVersion: Stripe.LatestApiVersion = '2026-10-28.endive';

/** `Stripe.Event` is the union over all types. The signature of `emit` pairs each type with its object. */
const eventObject = (type: Stripe.Event.Type, object: object): Json<Stripe.EventBase> => ({
  id: newId('evt'),
  object: 'event',
  api_version: apiVersion,
  created: nowS(),
  data: { object },
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
});

/** A receiver at a URL. */
export const receiverAt =
  (url: string): Receiver =>
  async (body, signature) => {
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
    const answer = await fetch(url, { method: 'POST', body, headers, signal: AbortSignal.timeout(20_000) });
    await answer.body?.cancel();
    return answer.status;
  };
