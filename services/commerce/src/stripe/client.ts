import { DomainError } from '@almanac/contracts';
import { inSpan, withTimeout } from '@almanac/runtime';
import { Stripe } from 'stripe';
import type { StripeSettings } from './config.js';

export interface ClientOptions {
  /** One attempt, in milliseconds. */
  readonly attemptMs?: number;
  /** A call including its retry. Two calls fit into the 15 s of a checkout. */
  readonly callMs?: number;
  /** Called for each failed call. Callers only learn that they can try again; the operator needs the reason. */
  readonly onFailure?: (error: Error) => void;
}

/** Stripe's API with a deadline for each call and our errors. */
export interface StripeClient {
  readonly api: Stripe;
  /** Throws `unavailable`, `payment_required` for a declined card, and StripeFault for our own mistake. */
  readonly call: <T>(what: string, call: () => Promise<T>) => Promise<T>;
}

export const createClient = (settings: StripeSettings, options: ClientOptions = {}): StripeClient => {
  const { attemptMs = 4_000, callMs = 6_500, onFailure } = options;
  const address = settings.apiUrl === undefined ? 'api.stripe.com' : placeOf(settings.apiUrl).host;
  const api = new Stripe(settings.secretKey, {
    timeout: attemptMs,
    maxNetworkRetries: 1,
    telemetry: false,
    ...(settings.apiUrl === undefined ? {} : placeOf(settings.apiUrl)),
  });
  return {
    api,
    call: async (what, call) => {
      try {
        return await inSpan(
          () => ({ kind: 'client', name: `Stripe: ${what}`, attributes: { 'server.address': address } }),
          () => within(callMs, call()),
        );
      } catch (error) {
        const domainError = domainErrorOf(what, error);
        if (domainError instanceof Error && !isMissing(domainError))
          onFailure?.(domainError instanceof DomainError ? causeOf(domainError) : domainError);
        throw domainError;
      }
    },
  };
};

const placeOf = (url: string): { host: string; port: string; protocol: 'http' | 'https' } => {
  const { hostname, port, protocol } = new URL(url);
  const isPlain = protocol === 'http:';
  return { host: hostname, port: port || (isPlain ? '80' : '443'), protocol: isPlain ? 'http' : 'https' };
};

/** A request that Stripe refused. It holds only codes: Stripe's texts can contain data of a person or a card. */
class StripeFault extends Error {
  override readonly name = 'StripeFault';

  constructor(
    what: string,
    readonly details: {
      readonly type: string;
      readonly status: number | null;
      readonly code: string | null;
      readonly param: string | null;
      /** Stripe's request id, for its dashboard. */
      readonly request: string | null;
      /** Stripe repeated an earlier answer under the same idempotency key, and will do so for a day. */
      readonly replayed: boolean;
    },
  ) {
    super(`${what}: ${JSON.stringify(details)}`);
  }
}

export const faultIn = (error: unknown): StripeFault | undefined => {
  if (error instanceof StripeFault) return error;
  return error instanceof DomainError && error.cause instanceof StripeFault ? error.cause : undefined;
};

export const isMissing = (error: unknown): boolean => {
  const details = faultIn(error)?.details;
  return details?.status === 404 || details?.code === 'resource_missing';
};

export const isRefused = (error: unknown): boolean => error instanceof StripeFault && error.details.status === 400;

const causeOf = (error: DomainError): Error => (error.cause instanceof Error ? error.cause : error);

const retryAfterS = 5;

const domainErrorOf = (what: string, error: unknown): unknown => {
  if (error instanceof CallTimeoutError) return unavailable(error);
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { statusCode: status, code, param, requestId, headers } = error;
  const replayed = headers?.['idempotent-replayed'] === 'true';
  const ids = { status: status ?? null, code: code ?? null, param: param ?? null, request: requestId ?? null };
  const fault = new StripeFault(what, { type: error.type, ...ids, replayed });
  if (error instanceof Stripe.errors.StripeCardError) {
    const detail = 'The payment was declined. Use another card, or contact the bank that issued it.';
    return new DomainError('payment_required', detail, { cause: fault, more: { options: [] } });
  }
  const isOurs = status === 400 || status === 404;
  return isOurs && !(error instanceof Stripe.errors.StripeRateLimitError) ? fault : unavailable(fault);
};

/** Includes an invalid secret key: the operator sees the cause, the buyer can only wait. */
const unavailable = (cause: Error): DomainError =>
  new DomainError(
    'unavailable',
    'The payment provider is not responding. You were not charged. Try again in a few seconds.',
    {
      cause,
      more: { retry_after_s: retryAfterS },
    },
  );

class CallTimeoutError extends Error {
  override readonly name = 'LateError';
}

/** A later answer is dropped. Repeating the call with the same ids is harmless. */
const within = <T>(ms: number, work: Promise<T>): Promise<T> =>
  withTimeout(ms, work, () => {
    throw new CallTimeoutError(`Stripe did not answer within ${ms} ms`);
  });
