import type { CallContext, ReplyMeta } from '@almanac/contracts';
import { currentRequestContext } from '@almanac/runtime';
import type { MsgHdrs } from '@nats-io/transport-node';
import { headers } from '@nats-io/transport-node';
import { headerNames } from '../names.js';
import { injectTraceContext } from '../tracing/trace-propagation.js';

/** Longer replies are split into several messages that the caller requests. `max_payload` stays at 1 MiB. */
export const chunkBytes = 512 * 1024;
/** Memory of a process for long replies that their callers have not fetched yet. An account may use a quarter of it. */
export const longRepliesBytesMax = 128 * 1024 * 1024;
/** Maximum number of requested chunks that are not read yet. */
export const chunkWindow = 4;
/** A caller that sends nothing for this long counts as gone, and its reply ends. */
export const chunkStallMs = 5_000;
/** A service that lost its server is back this soon. */
export const absentMsMax = 2_000;

const newline = 10;

/** A request is its input as JSON. If the call has encoded rows, a newline and the rows follow. */
export const encodeRequest = (input: unknown, body?: Uint8Array): Uint8Array => {
  const head = Buffer.from(JSON.stringify(input));
  return body === undefined ? head : Buffer.concat([head, Buffer.of(newline), body]);
};

/** JSON contains no raw newline, so the first one ends the input. Throws a SyntaxError for invalid JSON. */
export const decodeRequest = (payload: Uint8Array): { input: unknown; body: Uint8Array } => {
  const end = payload.indexOf(newline);
  const head = end < 0 ? payload : payload.subarray(0, end);
  const body = end < 0 ? payload.subarray(payload.length) : payload.subarray(end + 1);
  return { input: JSON.parse(Buffer.from(head.buffer, head.byteOffset, head.length).toString('utf8')), body };
};

/** Creates a new headers object each time: if two publishes share one, the second message is lost. */
export const requestHeaders = (context: CallContext, timeoutMs: number, callId?: string): MsgHdrs => {
  const messageHeaders = headers();
  if (callId !== undefined) messageHeaders.set(headerNames.call, callId);
  messageHeaders.set(headerNames.requestId, context.requestId);
  messageHeaders.set(headerNames.timeoutMs, String(timeoutMs));
  if (context.account !== undefined) messageHeaders.set(headerNames.account, context.account);
  if (context.plan !== undefined) messageHeaders.set(headerNames.plan, context.plan);
  const span = currentRequestContext()?.span;
  if (span !== undefined) injectTraceContext(messageHeaders, span);
  return messageHeaders;
};

/** Header values are latin-1. Other characters (a ticker may have any) are written as ASCII escapes. */
export const encodeMeta = (meta: ReplyMeta): string =>
  JSON.stringify(meta).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Metadata comes from our own services through `encodeMeta`, so its shape is not checked again on this hot path. */
export const decodeMeta = (text: string | undefined): ReplyMeta => (text ? (JSON.parse(text) as ReplyMeta) : {});
