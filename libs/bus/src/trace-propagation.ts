import {
  runInRequestContext,
  beginSpan,
  currentRequestContext,
  type OpenSpan,
  type SpanOptions,
  type TraceHeaders,
} from '@almanac/runtime';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { headerNames } from './names.js';

/** Adds to a message's headers whose work it is: the id of its request, and the span that it is a step of. */
export const injectRequestContext = (messageHeaders: MsgHdrs): MsgHdrs => {
  const work = currentRequestContext();
  if (work === undefined) return messageHeaders;
  if (work.requestId !== undefined) messageHeaders.set(headerNames.requestId, work.requestId);
  if (work.span !== undefined) injectTraceContext(messageHeaders, work.span);
  return messageHeaders;
};

/** For an event: new headers, since no two publishes may have the same. */
export const requestContextHeaders = (): MsgHdrs => injectRequestContext(headers());

export const injectTraceContext = (
  messageHeaders: MsgHdrs,
  { headers: { traceparent, tracestate } }: OpenSpan,
): void => {
  if (traceparent !== undefined) messageHeaders.set(headerNames.traceparent, traceparent);
  if (tracestate) messageHeaders.set(headerNames.tracestate, tracestate);
};

/**
 * Runs what a message asks for as the work of the request that it names, in a span below the one that it names. The span
 * has ended when this resolves; `run` says of what went wrong.
 */
export const runWithExtractedContext = async <T>(
  message: { readonly headers?: MsgHdrs | undefined },
  spanOptions: () => SpanOptions,
  run: (span: OpenSpan | undefined) => Promise<T>,
): Promise<T> => {
  const value = (name: string): string | undefined => message.headers?.get(name) || undefined;
  const span = beginSpan(extractTraceContext(value), spanOptions);
  try {
    return await runInRequestContext({ requestId: value(headerNames.requestId), span }, () => run(span));
  } finally {
    span?.end();
  }
};

const extractTraceContext = (value: (name: string) => string | undefined): TraceHeaders => {
  const traceparent = value(headerNames.traceparent);
  const tracestate = value(headerNames.tracestate);
  return {
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
  };
};
