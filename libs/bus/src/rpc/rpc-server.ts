import type { Contract } from '@almanac/contracts';
import { DomainError, internalError } from '@almanac/contracts';
import { byteBudget } from '@almanac/runtime';
import { type ArgumentsHost, Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { headers, type Msg, type Subscription } from '@nats-io/transport-node';
import { isObservable, lastValueFrom, type Observable, throwError } from 'rxjs';
import type { Bus } from '../bus.js';
import { onCallMessage } from './call-loss.js';
import { directInboxes, type ReceivedContract } from './direct-inboxes.js';
import { stateOfConnection } from '../connection/connection-state.js';
import { endOfTurn } from '../connection/end-of-event-loop-turn.js';
import { headerNames, queueOf, subjects } from '../names.js';
import { sendChunks } from './rpc-chunks.js';
import { RpcContext } from './rpc-context.js';
import { type CallMeter, callMeter } from './rpc-metrics.js';
import { Reply, StreamReply } from './rpc-reply.js';
import { sendStream } from './rpc-stream.js';
import { rpcServerSpan } from '../tracing/spans.js';
import { runWithExtractedContext } from '../tracing/trace-propagation.js';
import { chunkBytes, decodeRequest, encodeMeta, longRepliesBytesMax } from './rpc-wire.js';

/** Passes a handler's error on unchanged. Nest's default filter would reduce it to a text without its code. */
@Catch()
export class PassErrors implements RpcExceptionFilter {
  catch(error: unknown, _host: ArgumentsHost): Observable<never> {
    return throwError(() => error);
  }
}

export interface RpcServerHooks {
  /** Called for unexpected errors. The caller gets `internal` without a detail. */
  readonly onError: (error: unknown, contract: Contract, context: { requestId: string }) => void;
  /** Called when something that a call needs failed. The caller gets `unavailable` without the cause. */
  readonly onUnavailable: RpcServerHooks['onError'];
  /** Called for an error whose code the contract does not have. The caller gets it like any other. */
  readonly onUndeclared: RpcServerHooks['onError'];
  /** Called for each answered call, within its request context. */
  readonly onAnswered: (contract: Contract, outcome: string, ms: number) => void;
}

/** Serves contracts on the process' connection, as one queue group per service. */
export class RpcServer extends Server implements CustomTransportStrategy {
  private readonly subscriptions: Subscription[] = [];
  private isClosing = false;
  private readonly running = new Set<Promise<void>>();
  /** Functions that end the running streams. */
  private readonly streams = new Set<() => void>();
  /** Running calls that their callers may cancel or ask about, by call id. */
  private readonly cancellable = new Map<string, RpcContext>();
  private readonly longReplies = byteBudget(longRepliesBytesMax);

  constructor(
    private readonly bus: Bus,
    private readonly hooks: RpcServerHooks,
  ) {
    super();
  }

  listen(callback: () => void): void {
    this.receive();
    const { receivers } = stateOfConnection(this.bus.nc);
    receivers.add(this.pause);
    void this.bus.nc.flush().then(callback);
  }

  private receive(): void {
    const { nc } = this.bus;
    const received = [...this.messageHandlers.values()].map((handler) => this.receivedBy(handler));
    for (const { contract, callback } of received)
      this.subscriptions.push(nc.subscribe(subjects.rpc(contract), { queue: queueOf(contract.service), callback }));
    for (const service of new Set(received.map(({ contract }) => contract.service))) {
      const contracts = received.filter(({ contract }) => contract.service === service);
      const inboxFor = directInboxes(this.bus, {
        contracts,
        subscribe: (subject, callback) => void this.subscriptions.push(nc.subscribe(subject, { callback })),
      });
      const callback = (_error: Error | null, message: Msg): void => onCallMessage(message, this.cancellable, inboxFor);
      this.subscriptions.push(nc.subscribe(subjects.cancel(service), { callback }));
    }
  }

  private receivedBy(handler: MessageHandler): ReceivedContract {
    const { contract } = handler.extras as { contract: Contract };
    const meter = callMeter(contract);
    return {
      contract,
      callback: (error, message) => {
        if (error) this.hooks.onError(error, contract, { requestId: 'none' });
        else this.track(this.measured(meter, () => this.traced(message, contract, handler)));
      },
    };
  }

  /** Resolves when all requests that the server has sent to this process have arrived. */
  private readonly pause = async (): Promise<() => void> => {
    await this.drainSubscriptions();
    return () => {
      if (!this.isClosing) this.receive();
    };
  };

  private async drainSubscriptions(): Promise<void> {
    const open = this.subscriptions.splice(0).filter((subscription) => !subscription.isClosed());
    await Promise.all(open.map((subscription) => subscription.drain()));
  }

  async close(): Promise<void> {
    this.isClosing = true;
    stateOfConnection(this.bus.nc).receivers.delete(this.pause);
    await this.drainSubscriptions();
    const endStreams = setTimeout(() => this.streams.forEach((end) => end()), streamGraceMs);
    await Promise.all(this.running);
    clearTimeout(endStreams);
  }

  on(): void {
    throw new Error('the RPC server has no events');
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- Nest's own signature
  unwrap<T>(): T {
    return this.bus.nc as T;
  }

  private track(work: Promise<void>): void {
    const tracked = work.finally(() => this.running.delete(tracked));
    this.running.add(tracked);
  }

  private async measured(meter: CallMeter, answer: () => Promise<string>): Promise<void> {
    const beganAt = performance.now();
    meter.begin();
    meter.end(await answer(), beganAt);
  }

  private traced(message: Msg, contract: Contract, handler: MessageHandler): Promise<string> {
    return runWithExtractedContext(
      message,
      () => rpcServerSpan(contract),
      async (span) => {
        const beganAt = performance.now();
        const outcome = await this.answer(message, contract, handler);
        span?.set({ 'rpc.response.status_code': outcome });
        if (faults.has(outcome)) span?.fail(outcome);
        this.hooks.onAnswered(contract, outcome, performance.now() - beganAt);
        return outcome;
      },
    );
  }

  /** Returns the outcome: `ok` or the error code. */
  private async answer(message: Msg, contract: Contract, handler: MessageHandler): Promise<string> {
    const callId = message.headers?.get(headerNames.call) || undefined;
    let context: RpcContext | undefined;
    try {
      const { input, body } = parseRequest(message, contract);
      context = new RpcContext(message, contract.timeoutMs, body);
      if (callId !== undefined) this.cancellable.set(callId, context);
      const result: unknown = await handler(input, context);
      const value: unknown = isObservable(result) ? await lastValueFrom(result) : result;
      if (value instanceof StreamReply) return await this.stream(message, value, { contract, context });
      await this.respond(message, value instanceof Reply ? value : Reply.json(value), context.account);
      return 'ok';
    } catch (error) {
      const refusal = this.refusalOf(error, contract, context);
      this.refuse(message, refusal, contract);
      return refusal.code;
    } finally {
      context?.end();
      // The call may have been sent to this process again.
      if (callId !== undefined && this.cancellable.get(callId) === context) this.cancellable.delete(callId);
    }
  }

  private refusalOf(error: unknown, contract: Contract, context: RpcContext | undefined): DomainError {
    const about = { requestId: context?.requestId ?? 'none' };
    if (!(error instanceof DomainError) || error.code === 'internal') {
      this.hooks.onError(error, contract, about);
      return error instanceof DomainError ? error : internalError();
    }
    if (!isDeclared(error, contract)) this.hooks.onUndeclared(error, contract, about);
    const isExplained = error.code === 'unavailable' && error.cause !== undefined;
    if (isExplained && context?.signal.aborted !== true) this.hooks.onUnavailable(error, contract, about);
    return error;
  }

  private stream(
    message: Msg,
    { meta, chunks }: StreamReply,
    { contract, context }: { contract: Contract; context: RpcContext },
  ): Promise<string> {
    const messageHeaders = headers();
    messageHeaders.set(headerNames.meta, encodeMeta(meta));
    const onError = (error: unknown) => this.refusalOf(error, contract, context).reply;
    return sendStream(this.bus, message, { ...chunks, headers: messageHeaders, running: this.streams, onError });
  }

  private async respond(message: Msg, reply: Reply<unknown>, account = ''): Promise<void> {
    const messageHeaders = headers();
    messageHeaders.set(headerNames.meta, encodeMeta(reply.meta));
    await endOfTurn();
    // What is published without a connection may be lost.
    await stateOfConnection(this.bus.nc).connected();
    if (reply.bytes.length <= chunkBytes) {
      message.respond(reply.bytes, { headers: messageHeaders });
      return;
    }
    const release = this.longReplies.reserve(account, reply.bytes.length);
    if (release === undefined) throw tooManyLongReplies();
    try {
      await sendChunks(this.bus, message, { bytes: reply.bytes, headers: messageHeaders });
    } finally {
      release();
    }
  }

  /** If the connection is closed or the error is too long to send, the caller waits for its timeout. */
  private refuse(message: Msg, refusal: DomainError, contract: Contract): void {
    const messageHeaders = headers();
    messageHeaders.set(headerNames.error, refusal.code);
    try {
      message.respond(Buffer.from(JSON.stringify(refusal.reply)), { headers: messageHeaders });
    } catch (error) {
      this.hooks.onError(error, contract, { requestId: 'none' });
    }
  }
}

const tooManyLongReplies = (): DomainError =>
  new DomainError(
    'unavailable',
    'Too many large answers wait for their clients. Read the answers that are open, then try again.',
  );

/** How long a stopping process lets streams run. It ends within 10 s, and its clients must see that a stream was cut. */
const streamGraceMs = 5_000;

/** Outcomes that mean a failure of this process. Other errors are valid answers. */
const faults: ReadonlySet<string> = new Set(['internal', 'unavailable']);

/** The compiler does not check what a handler throws. */
const isDeclared = ({ code }: DomainError, { errors }: Contract): boolean =>
  code === 'invalid_input' || code === 'unavailable' || errors.includes(code);

/** Invalid JSON gets an error reply too, so a caller never waits for a timeout because of its own bad request. */
const parseRequest = (message: Msg, contract: Contract): { input: unknown; body: Uint8Array } => {
  try {
    const { input, body } = decodeRequest(message.data);
    return { input: contract.input.parse(input), body };
  } catch (cause) {
    throw new DomainError('invalid_input', 'The service does not accept the fields of this request.', { cause });
  }
};
