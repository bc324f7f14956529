import type { CallContext, ReplyMeta } from '@almanac/contracts';
import { currentRequestContext } from '@almanac/runtime';
import type { MsgHdrs } from '@nats-io/transport-node';
import { headers } from '@nats-io/transport-node';
import { headerNames } from './names.js';
import { injectTraceContext } from './trace-propagation.js';

/** Replies above this go in several messages that the caller acknowledges; `max_payload` stays 1 MiB. */
export const chunkBytes = 512 * 1024;
/** Chunks that may be under way without an acknowledgement. */
export const chunkWindow = 4;
/** A caller that acknowledges nothing for this long is gone, and its reply stops. */
export const chunkStallMs = 5_000;

const newline = 10;

/** A request is its input as JSON and, where the call carries ready-made rows, a newline and those bytes. */
export const encodeRequest = (input: unknown, body?: Uint8Array): Uint8Array => {
  const head = Buffer.from(JSON.stringify(input));
  return body === undefined ? head : Buffer.concat([head, Buffer.of(newline), body]);
};

/** JSON never holds a raw newline, so the first one ends the head. Throws a SyntaxError for what is no JSON. */
export const decodeRequest = (payload: Uint8Array): { input: unknown; body: Uint8Array } => {
  const end = payload.indexOf(newline);
  const head = end < 0 ? payload : payload.subarray(0, end);
  const body = end < 0 ? payload.subarray(payload.length) : payload.subarray(end + 1);
  return { input: JSON.parse(Buffer.from(head.buffer, head.byteOffset, head.length).toString('utf8')), body };
};

/** Always a new headers object: one that is used for two publishes loses the second message. */
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

/** Header values are latin-1 lines, so a meta with other letters (a ticker may have any) is written in ASCII escapes. */
export const encodeMeta = (meta: ReplyMeta): string =>
  JSON.stringify(meta).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Meta comes from our own services through `encodeMeta`, so its shape is not checked again on the hot path. */
export const decodeMeta = (text: string | undefined): ReplyMeta => (text ? (JSON.parse(text) as ReplyMeta) : {});
