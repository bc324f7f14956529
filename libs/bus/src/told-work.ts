import { atWork, beginSpan, currentWork, type OpenSpan, type SpanTold, type TraceHeaders } from '@almanac/runtime';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { headerNames } from './names.js';

/** Adds to a message's headers whose work it is: the id of its request, and the span that it is a step of. */
export const tellWork = (made: MsgHdrs): MsgHdrs => {
  const work = currentWork();
  if (work === undefined) return made;
  if (work.requestId !== undefined) made.set(headerNames.requestId, work.requestId);
  if (work.span !== undefined) tellTrace(made, work.span);
  return made;
};

/** For an event: new headers, since no two publishes may have the same. */
export const workHeaders = (): MsgHdrs => tellWork(headers());

export const tellTrace = (made: MsgHdrs, { headers: { traceparent, tracestate } }: OpenSpan): void => {
  if (traceparent !== undefined) made.set(headerNames.traceparent, traceparent);
  if (tracestate) made.set(headerNames.tracestate, tracestate);
};

/**
 * Runs what a message asks for as the work of the request that it names, in a span below the one that it names. The span
 * has ended when this resolves; `run` says of what went wrong.
 */
export const asToldWork = async <T>(
  message: { readonly headers?: MsgHdrs | undefined },
  told: () => SpanTold,
  run: (span: OpenSpan | undefined) => Promise<T>,
): Promise<T> => {
  const value = (name: string): string | undefined => message.headers?.get(name) || undefined;
  const span = beginSpan(traceOf(value), told);
  try {
    return await atWork({ requestId: value(headerNames.requestId), span }, () => run(span));
  } finally {
    span?.end();
  }
};

const traceOf = (value: (name: string) => string | undefined): TraceHeaders => {
  const traceparent = value(headerNames.traceparent);
  const tracestate = value(headerNames.tracestate);
  return {
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
  };
};
