import { StripeRefusal } from './refusal.js';

export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
}

/** The answers under idempotency keys. Stripe drops them after a day, which is longer than any test. */
export interface Keys {
  /** The earlier answer under the key, or undefined for the first call. Throws Stripe's refusals. */
  begin(key: string | undefined, params: string): StoredAnswer | undefined;
  /** Stripe stores any answer once the work has started. */
  end(key: string | undefined, answered: StoredAnswer): void;
  /** Forbidden calls of a client: a call without an idempotency key, or one key for two different calls. */
  readonly violations: readonly string[];
}

export const createKeys = (): Keys => {
  const known = new Map<string, { params: string; answered: StoredAnswer | undefined }>();
  const violations: string[] = [];
  return {
    violations,
    begin: (key, params) => {
      if (key === undefined || key.startsWith('stripe-node-retry-')) {
        violations.push(`no idempotency key of its own: ${params.slice(0, 200)}`);
        return undefined;
      }
      const before = known.get(key);
      if (before === undefined) {
        known.set(key, { params, answered: undefined });
        return undefined;
      }
      if (before.params !== params) {
        violations.push(`the key ${key} was used for\n  ${before.params}\nand for\n  ${params}`);
        throw new StripeRefusal(400, {
          type: 'idempotency_error',
          message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
        });
      }
      if (before.answered === undefined) {
        throw new StripeRefusal(409, {
          type: 'idempotency_error',
          code: 'idempotency_key_in_use',
          message: 'There is currently another in-progress request using this Idempotent Key.',
        });
      }
      return before.answered;
    },
    end: (key, answered) => {
      const stored = key === undefined ? undefined : known.get(key);
      if (stored !== undefined) stored.answered = answered;
    },
  };
};
