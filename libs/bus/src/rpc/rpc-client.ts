import type { CallContext, Contract, ReplyHead, ReplyMeta } from '@almanac/contracts';
import { DomainError, errorReply, internalError } from '@almanac/contracts';
import { inSpan } from '@almanac/runtime';
import { type Msg, nuid, TimeoutError } from '@nats-io/transport-node';
import type { z } from 'zod';
import { type Bus, hasNoResponders, isInvalidArgument, isPermissionViolation, publishIfOpen } from '../bus.js';
import { endOfTurn } from '../connection/end-of-event-loop-turn.js';
import { headerNames, subjects } from '../names.js';
import { fetchRest, cancelRest } from './rpc-chunks.js';
import { countClientCall } from './rpc-metrics.js';
import { fetchStream, streamed } from './rpc-stream.js';
import { directSubject } from './direct-inboxes.js';
import { sendUntilAnswered } from './send-until-answered.js';
import { rpcClientSpan } from '../tracing/spans.js';
import { chunkWindow, decodeMeta, encodeRequest, requestHeaders } from './rpc-wire.js';

/**
 * A reply as received. `first` is the complete reply unless `rest` is set. `rest` yields the following bytes with
 * back-pressure. A caller that does not read `rest` calls `cancelRest`, so that the service does not wait.
 */
export interface RpcReply {
  readonly meta: ReplyMeta;
  readonly first: Uint8Array;
  /** Infinity for a reply whose length is not known before its end. */
  readonly totalBytes: number;
  /** What a reply of unknown length tells after its last byte. Undefined before, and for other replies. */
  readonly trailer?: () => ReplyHead | undefined;
  readonly rest?: AsyncIterable<Uint8Array>;
  readonly cancelRest?: () => void;
  /**
   * How many chunks of `rest` are requested ahead of the reader: 1 to `chunkWindow`, which is the default. A reader that may
   * be slow begins with 1, so that this process holds little for it.
   */
  readonly readAhead?: (chunks: number) => void;
}

export interface Call<In extends z.ZodType> {
  readonly input: z.input<In>;
  readonly context: CallContext;
  /** Rows in their final encoding, sent after the input. */
  readonly body?: Uint8Array;
  /**
   * Only for queries. An abort ends the call with the signal's reason and cancels the work in the service. After the
   * first chunk, the reader of the reply ends it.
   */
  readonly signal?: AbortSignal;
}

export interface RpcClient {
  /** Returns the reply's bytes unparsed. Throws DomainError with the service's code, or `unavailable`. */
  forward<In extends z.ZodType, Out extends z.ZodType>(to: Contract<In, Out>, call: Call<In>): Promise<RpcReply>;
  /** Sends a request and parses the reply with the contract's schema. */
  call<In extends z.ZodType, Out extends z.ZodType>(to: Contract<In, Out>, call: Call<In>): Promise<z.output<Out>>;
}

export const rpcClient = (bus: Bus): RpcClient => {
  const forward = async <In extends z.ZodType, Out extends z.ZodType>(to: Contract<In, Out>, call: Call<In>) => {
    try {
      const reply = await inSpan(
        () => rpcClientSpan(to),
        () => replyOf(to, call),
      );
      countClientCall(to, 'ok');
      return reply;
    } catch (error) {
      countClientCall(to, outcomeOf(error, call.signal));
      throw error;
    }
  };
  const replyOf = async <In extends z.ZodType, Out extends z.ZodType>(
    to: Contract<In, Out>,
    call: Call<In>,
  ): Promise<RpcReply> => {
    const timeout = Math.max(1, Math.min(to.timeoutMs, Math.floor(call.context.timeoutMs ?? to.timeoutMs)));
    const attempt = { call, timeout, callId: nuid.next() };
    const reply =
      call.signal === undefined
        ? await request(bus, to, attempt)
        : await requestUntilAborted(bus, to, { ...attempt, signal: call.signal });
    if (reply.headers?.has(headerNames.error)) throw errorIn(to, reply);
    const meta = decodeMeta(reply.headers?.get(headerNames.meta));
    const chunksText = reply.headers?.get(headerNames.chunks);
    const window = readingWindow();
    if (chunksText === streamed)
      return { meta, first: reply.data, totalBytes: Infinity, ...restOfStream(bus, reply, window) };
    const chunks = Number(chunksText || 1);
    if (chunks === 1) return { meta, first: reply.data, totalBytes: reply.data.length };
    const totalBytes = Number(reply.headers?.get(headerNames.bytes));
    const rest = fetchRest(bus, { first: reply, chunks, ahead: window.ahead });
    const { readAhead } = window;
    return { meta, first: reply.data, totalBytes, rest, cancelRest: () => cancelRest(bus, reply), readAhead };
  };
  return {
    forward,
    call: async (to, call) => {
      const reply = await forward(to, call);
      return parseReply(to, to.output.safeParse(JSON.parse((await bytesOf(reply)).toString('utf8'))));
    },
  };
};

type RestOfStream = Required<Pick<RpcReply, 'rest' | 'trailer' | 'cancelRest' | 'readAhead'>>;

const restOfStream = (bus: Bus, first: Msg, { ahead, readAhead }: ReadingWindow): RestOfStream => {
  let trailer: ReplyHead | undefined;
  const rest = async function* () {
    trailer = yield* fetchStream(bus, first, ahead);
  };
  return { rest: rest(), trailer: () => trailer, cancelRest: () => cancelRest(bus, first), readAhead };
};

type ReadingWindow = ReturnType<typeof readingWindow>;

const readingWindow = () => {
  let window = chunkWindow;
  return {
    ahead: (): number => window,
    readAhead: (chunks: number): void => void (window = Math.max(1, Math.min(chunks, chunkWindow))),
  };
};

const outcomeOf = (error: unknown, signal: AbortSignal | undefined): string => {
  if (error instanceof DomainError) return error.code;
  return signal?.aborted === true ? 'cancelled' : 'internal';
};

export const bytesOf = async (reply: RpcReply): Promise<Buffer> => {
  const chunks = [reply.first];
  if (reply.rest) for await (const part of reply.rest) chunks.push(part);
  return chunks.length === 1
    ? Buffer.from(reply.first.buffer, reply.first.byteOffset, reply.first.length)
    : Buffer.concat(chunks);
};

interface CallAttempt<In extends z.ZodType> {
  readonly call: Call<In>;
  readonly timeout: number;
  readonly callId: string;
}

/** Sends a request. If the signal aborts, it cancels the call in the service. */
const requestUntilAborted = async <In extends z.ZodType>(
  bus: Bus,
  to: Contract,
  { signal, ...attempt }: CallAttempt<In> & { signal: AbortSignal },
): Promise<Msg> => {
  signal.throwIfAborted();
  const { callId } = attempt;
  const pendingReply = request(bus, to, attempt);
  const aborted = Promise.withResolvers<never>();
  const cancel = (): void => {
    publishIfOpen(bus, subjects.cancel(to.service), callId);
    // A reply in transit is not read. A rejection is expected.
    pendingReply.then(
      (timedOut) => cancelRest(bus, timedOut),
      () => undefined,
    );
    aborted.reject(signal.reason);
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await Promise.race([pendingReply, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

const request = async <In extends z.ZodType>(
  bus: Bus,
  to: Contract,
  { call, timeout, callId }: CallAttempt<In>,
): Promise<Msg> => {
  await endOfTurn();
  // A call aborted before it is sent must not reach the service after its cancellation.
  call.signal?.throwIfAborted();
  const { input, signal } = call;
  const bytes = encodeRequest(input, call.body);
  const send = (timeoutMs: number, direct: string | undefined): Promise<Msg> =>
    bus.nc.request(direct === undefined ? subjects.rpc(to) : directSubject(direct, to), bytes, {
      timeout: timeoutMs,
      headers: requestHeaders(call.context, timeoutMs, callId),
    });
  try {
    return await sendUntilAnswered(bus, { contract: to, input, callId, timeoutMs: timeout, signal, send });
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw failureOf(to, cause);
  }
};

/** The client or the server rejects the publish at once. The caller must not retry. */
const failureOf = (to: Contract, cause: unknown): DomainError => {
  if (isInvalidArgument(cause)) {
    return new DomainError('invalid_input', 'The request is too large. Send a smaller request.', { cause });
  }
  if (isPermissionViolation(cause)) {
    return internalError(cause);
  }
  const timedOut = cause instanceof TimeoutError;
  return unavailable(
    to,
    hasNoResponders(cause) ? 'is not running' : timedOut ? 'did not answer in time' : 'cannot be reached',
    cause,
  );
};

const errorIn = (to: Contract, reply: Msg): DomainError => {
  const { code, detail, more } = parseReply(to, errorReply.safeParse(reply.json()));
  return new DomainError(code, detail, more ? { more } : {});
};

/** During a rollout, another release may reply in a way that this one cannot parse. A later retry succeeds. */
const parseReply = <T>(to: Contract, parsed: z.ZodSafeParseResult<T>): T => {
  if (parsed.success) return parsed.data;
  throw unavailable(to, 'answered as another release does', parsed.error);
};

/** The service's name is in the cause, for logs and operators. API users get only the detail. */
const unavailable = (to: Contract, why: string, cause: unknown): DomainError =>
  new DomainError('unavailable', 'Part of the server is temporarily unavailable. Try again in a few seconds.', {
    cause: new Error(`The ${to.service} service ${why}.`, { cause }),
  });
