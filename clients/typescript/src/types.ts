import type { components, operations } from './generated/api.js';
import type { OperationId } from './generated/operations.js';
import type { Time } from './times.js';

/** The shapes of the API, by the names of its document: `Schemas['Market']`. */
export type Schemas = components['schemas'];

export type Market = Schemas['Market'];
export type Snapshot = Schemas['Snapshot'];
export type Trade = Schemas['Trade'];
export type Candle = Schemas['Candle'];
export type SeriesItem = Schemas['SeriesItem'];
export type EventItem = Schemas['EventItem'];
export type SearchHit = Schemas['SearchHit'];
export type CoverageGap = Schemas['CoverageGap'];
export type MarketQuality = Schemas['MarketQuality'];
export type PeriodQuality = Schemas['PeriodQuality'];
export type Coverage = Schemas['PreviewCoverage'];
export type Export = Schemas['ExportResponse'];
export type ExportListItem = Schemas['ExportListItem'];
export type ExportQuote = Schemas['ExportQuote'];
export type ApiKey = Schemas['ApiKey'];
export type Notice = Schemas['Notice'];

type JsonOf<Answer> = Answer extends { content: { 'application/json': infer Body } } ? Body : never;

/** The JSON answer of an operation. */
export type AnswerOf<Id extends OperationId> = JsonOf<operations[Id]['responses'][200]>;

/** The fields of a request, whose times can be anything that is a time. */
type WithTimes<Fields> = {
  [Name in keyof Fields]: Name extends `${string}_ts` | 'as_of'
    ? NonNullable<Fields[Name]> extends readonly number[]
      ? readonly Time[] | Extract<Fields[Name], null | undefined>
      : Time | Extract<Fields[Name], null | undefined>
    : Fields[Name];
};

/** Undefined means the same as absent. */
type Optional<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined };

/** The query parameters of an operation, as the API names them. The client reads JSON, so `format` is left out. */
export type QueryOf<Id extends OperationId> = operations[Id]['parameters'] extends { query?: infer Query }
  ? WithTimes<Optional<Omit<NonNullable<Query>, 'format' | 'numbers'>>>
  : never;

/** The JSON body of an operation. */
export type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Body } };
}
  ? WithTimes<Body>
  : never;

/** What every call takes besides its parameters. */
export interface CallOptions {
  /** Ends the call. It rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** The longest time of one attempt, and of a pause between bytes of a stream. Default: that of the client. */
  readonly timeoutMs?: number | undefined;
  /** The longest time of the call with all its retries. Default: that of the client. */
  readonly deadlineMs?: number | undefined;
  /** How often a failed attempt is repeated. 0 turns retries off. Default: that of the client. */
  readonly maxRetries?: number | undefined;
  /** For a POST: your own key instead of a random one. Store it to repeat the call safely after a crash. */
  readonly idempotencyKey?: string | undefined;
}
