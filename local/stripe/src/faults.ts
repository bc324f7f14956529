import { StripeRefusal } from './refusal.js';

/**
 * How a call fails. Without an effect: `card_declined` (402), `lock_timeout` (409), `rate_limited` (429), `unavailable`
 * (503), `cut` (the connection breaks), `hang` (no answer until the client gives up). With the effect done:
 * `cut_after`, `hang_after`, and `error_after` (500, which Stripe stores under the idempotency key and repeats). `slow`
 * answers normally, 200 ms later.
 */
const faultKinds = [
  'card_declined',
  'lock_timeout',
  'rate_limited',
  'unavailable',
  'cut',
  'hang',
  'cut_after',
  'hang_after',
  'error_after',
  'slow',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** The affected calls, such as `POST /v1/refunds`, by default all. */
  readonly on?: RegExp;
  /** The number of affected calls, by default one. */
  readonly times?: number;
}

export interface Faults {
  /** Makes the next matching calls fail. */
  add(fault: Fault): void;
  /** Makes this share of all calls fail in one of these ways from now on. `random` gives numbers from 0 to 1. */
  always(share: number, kinds: readonly FaultKind[], random: () => number): void;
  clear(): void;
  take(call: string): FaultKind | undefined;
}

export const createFaults = (): Faults => {
  let planned: { kind: FaultKind; on: RegExp; left: number }[] = [];
  let atRandom: (() => FaultKind | undefined) | undefined;
  return {
    add: ({ kind, on = /./, times = 1 }) => void planned.push({ kind, on, left: times }),
    always: (share, kinds, random) => {
      atRandom = () => (random() < share ? kinds[Math.floor(random() * kinds.length)] : undefined);
    },
    clear: () => {
      planned = [];
      atRandom = undefined;
    },
    take: (call) => {
      const next = planned.find(({ on, left }) => left > 0 && on.test(call));
      if (next === undefined) return atRandom?.();
      next.left -= 1;
      return next.kind;
    },
  };
};

const refusals: Readonly<Partial<Record<FaultKind, StripeRefusal>>> = {
  card_declined: new StripeRefusal(402, {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'insufficient_funds',
    message: 'Your card has insufficient funds.',
  }),
  lock_timeout: new StripeRefusal(409, {
    type: 'invalid_request_error',
    code: 'lock_timeout',
    message: 'This object cannot be accessed right now because another API request is currently accessing it.',
  }),
  rate_limited: new StripeRefusal(429, { type: 'rate_limit_error', code: 'rate_limit', message: 'Too many requests.' }),
  unavailable: new StripeRefusal(503, { type: 'api_error', message: 'Service unavailable.' }),
};

/** Stripe's answer when it refuses a call without an effect. */
export const refusalOf = (kind: FaultKind): StripeRefusal | undefined => refusals[kind];
