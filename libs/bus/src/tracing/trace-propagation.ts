import {
  runInRequestContext,
  beginSpan,
  currentRequestContext,
  type OpenSpan,
  type SpanOptions,
  type TraceHeaders,
} from '@almanac/runtime';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { headerNames } from '../names.js';

/** Adds the request id and the current span to a message's headers. */
const injectRequestContext = (messageHeaders: MsgHdrs): MsgHdrs => {
  const work = currentRequestContext();
  if (work === undefined) return messageHeaders;
  if (work.requestId !== undefined) messageHeaders.set(headerNames.requestId, work.requestId);
  if (work.span !== undefined) injectTraceContext(messageHeaders, work.span);
  return messageHeaders;
};

/** Creates headers for an event. Two publishes must not share a headers object. */
export const requestContextHeaders = (): MsgHdrs => injectRequestContext(headers());

export const injectTraceContext = (
  messageHeaders: MsgHdrs,
  { headers: { traceparent, tracestate } }: OpenSpan,
): void => {
  if (traceparent !== undefined) messageHeaders.set(headerNames.traceparent, traceparent);
  if (tracestate) messageHeaders.set(headerNames.tracestate, tracestate);
};

/**
 * Runs the handler of a message in the request context of the message, in a child of the message's span. The span has
 * ended when this resolves. `run` records errors in the span.
 */
export const runWithExtractedContext = async <T>(
  message: { readonly headers?: MsgHdrs | undefined },
  spanOptions: () => SpanOptions,
  run: (span: OpenSpan | undefined) => Promise<T>,
): Promise<T> => {
  const value = (name: string): string | undefined => message.headers?.get(name) || undefined;
  const span = beginSpan(() => extractTraceContext(value), spanOptions);
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
