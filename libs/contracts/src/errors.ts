import { z } from 'zod';

/** Every failure that may cross the bus. The gateway alone maps a code to an HTTP status. */
export const errorCodes = [
  'unauthenticated',
  'invalid_input',
  'invalid_window',
  'missing_target',
  'ambiguous_target',
  'series_not_found',
  'event_not_found',
  'market_not_found',
  'export_not_found',
  'key_not_found',
  'no_data_for_day',
  'export_preparing',
  'export_failed',
  'export_cancelled',
  'idempotency_conflict',
  'payment_required',
  'key_limit_reached',
  'export_daily_limit',
  'export_pending_limit',
  'account_exists',
  'conflict',
  'unavailable',
  'internal',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** The body of a failed reply. `detail` is a sentence for a person; `more` is data that the gateway puts beside it, such as `options` of a 402. */
export const errorReply = z.object({
  code: z.enum(errorCodes),
  detail: z.string(),
  more: z.record(z.string(), z.unknown()).optional(),
});
export type ErrorReply = z.infer<typeof errorReply>;

/** A refusal with a code from the closed list and a sentence that a user may read; the cause stays private. */
export class DomainError extends Error {
  override readonly name = 'DomainError';

  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly options: { cause?: unknown; more?: Record<string, unknown> } = {},
  ) {
    super(`${code}: ${detail}`, 'cause' in options ? { cause: options.cause } : {});
  }

  get reply(): ErrorReply {
    const { more } = this.options;
    return { code: this.code, detail: this.detail, ...(more ? { more } : {}) };
  }
}
