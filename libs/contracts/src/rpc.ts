import type { z } from 'zod';
import type { ErrorCode } from './errors.js';

export const serviceNames = ['catalog', 'timeseries', 'export', 'commerce', 'keys'] as const;
export type ServiceName = (typeof serviceNames)[number];

/**
 * One request and its reply between services: subject, shapes, the errors it may answer, and how long a caller waits.
 *
 * `output` describes the JSON of the reply. A service may send that JSON as bytes it got ready-made (ClickHouse writes
 * them), so the bytes are not parsed again on the way to the client.
 */
export interface Contract<In extends z.ZodType = z.ZodType, Out extends z.ZodType = z.ZodType> {
  readonly service: ServiceName;
  readonly method: string;
  /** A command may write; a query only reads and may be asked again. */
  readonly kind: 'command' | 'query';
  readonly input: In;
  readonly output: Out;
  /** Codes beyond `invalid_input`, `unavailable` and `internal`, which every method may answer. */
  readonly errors: readonly ErrorCode[];
  readonly timeoutMs: number;
}

export const contract = <In extends z.ZodType, Out extends z.ZodType>(
  definition: Contract<In, Out>,
): Contract<In, Out> => Object.freeze(definition);

/** Who asks, on whose budget. `timeoutMs` is what remains; the receiver measures it on its own clock. */
export interface CallContext {
  readonly requestId: string;
  readonly account?: string;
  readonly plan?: string;
  readonly timeoutMs?: number;
}

/**
 * What a reply tells beside its bytes, as one JSON header.
 *
 * `version` is the market's data version that the bytes were made from. `freshUntilUs` is the time (integer
 * microseconds) from which the same question may have another answer without any event, such as a close that passes;
 * absent means never. `cacheable: false` means that the answer depends on the moment it was asked. `head` is what the
 * JSON form says beside its rows, by the names it has there, for a form that has no place for it.
 */
export interface ReplyMeta {
  readonly ticker?: string;
  readonly version?: number;
  readonly freshUntilUs?: number;
  readonly cacheable?: boolean;
  readonly head?: ReplyHead;
}

export type ReplyHead = Readonly<Record<string, string | number | boolean | null>>;
