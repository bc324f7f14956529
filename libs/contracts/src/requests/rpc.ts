import { z } from 'zod';
import type { ErrorCode } from '../errors.js';
import type { Notice } from './notices.js';
import type { ServiceName, UserName } from '../services.js';

/**
 * One request between services and its reply: subject, schemas, error codes and timeout.
 *
 * `output` describes the JSON of the reply. A service may send JSON bytes that it received ready-made (ClickHouse
 * produces them), so they are not parsed on the way to the client.
 */
export interface Contract<In extends z.ZodType = z.ZodType, Out extends z.ZodType = z.ZodType> {
  readonly service: ServiceName;
  readonly method: string;
  /** Who may call it. Rights at NATS follow from it, and a test compares it with the code. Default: only the gateway. */
  readonly callers?: readonly UserName[];
  /** A command may write. A query only reads, so it may be retried. */
  readonly kind: 'command' | 'query';
  /**
   * The same command twice has the effect and the answer of one: always, or with an `idempotency_key` or a `request_key`. So
   * a lost request is sent again. `never` says why not. Each command of `allContracts` states it.
   */
  readonly repeats?: 'always' | 'with key' | { readonly never: string };
  readonly input: In;
  readonly output: Out;
  /** Codes in addition to `invalid_input`, `unavailable` and `internal`, which every method may return. */
  readonly errors: readonly ErrorCode[];
  readonly timeoutMs: number;
}

export const contract = <In extends z.ZodType, Out extends z.ZodType>(
  definition: Contract<In, Out>,
): Contract<In, Out> => Object.freeze(definition);

/** `repeats` of the commands of imports. */
export const sentAgainByImporter = { never: 'its callers send it again for longer than a lost server lasts' };

const key = z.string().min(1);
const keyed = z.union([z.object({ idempotency_key: key }), z.object({ request_key: key })]);

/** Whether a request may be sent twice, when nobody knows what became of the first one. */
export const isRepeatable = ({ kind, repeats }: Contract, input: unknown): boolean =>
  kind === 'query' || repeats === 'always' || (repeats === 'with key' && keyed.safeParse(input).success);

export const callersOf = ({ callers = ['gateway'] }: Contract): readonly UserName[] => callers;

/** The contracts of a service, by the names of their handlers. */
export type Contracts = Readonly<Record<string, Contract>>;

/** What a handler gets: the parsed input. */
export type InputOf<C extends Contract> = z.output<C['input']>;

/** What a handler returns, before the reply is parsed. */
export type OutputOf<C extends Contract> = z.input<C['output']>;

/** The caller of a request. `timeoutMs` is the remaining time, which the receiver measures with its own clock. */
export interface CallContext {
  readonly requestId: string;
  readonly account?: string;
  readonly plan?: string;
  readonly timeoutMs?: number;
}

/**
 * Metadata of a reply, sent as one JSON header.
 *
 * `version` is the market's data version of the bytes. `freshUntilUs` is the time (integer microseconds) from which
 * the same query may have another answer without an event, for example at a close; absent means never. `cacheable:
 * false` means that the answer depends on the time of the request. `head` has the fields that the JSON form shows
 * beside its rows, for forms without a place for them. `digest` is a hash of the bytes, for the ETag of an answer without
 * a data version. `catalogue` is for an answer from events of EVT_CATALOG: their subjects, and the position up to which the
 * service had received all events. `asOf` is `as_of` of the request:
 * the answer is about the past, so clients do not see `version`, which counts what came later. `notices` are not in the bytes: the gateway adds them.
 */
export interface ReplyMeta {
  readonly ticker?: string;
  readonly version?: number;
  readonly asOf?: number;
  readonly freshUntilUs?: number;
  readonly cacheable?: boolean;
  readonly head?: ReplyHead;
  readonly digest?: string;
  readonly catalogue?: { readonly subjects: readonly string[]; readonly position: readonly number[] };
  readonly notices?: readonly Notice[];
}

export type ReplyHead = Readonly<Record<string, string | number | boolean | null>>;
