import { chunkBytes, type RpcReply } from '@almanac/bus';
import { codingBytes, type AnswerMemory } from '../http/answer-memory.js';
import type { Exchange, ReceivedRequest } from '../http/exchange.js';
import { compress } from '../http/compression.js';
import { replaceNotices } from '../notices/notices-in-json.js';
import { noticesOf } from '../notices/request-notices.js';
import { pipeReply } from '../http/reply.js';
import { type Encoding, negotiateEncoding } from '../http/content-negotiation.js';
import {
  encodingFor,
  headersFor,
  type CachedResponse,
  matchesIfNoneMatch,
  notModified,
  compressedResponse,
  send,
  type ResponseMetadata,
  compressedMetadata,
  completeResponse,
  completeWithNotices,
  withRequestNotices,
} from './cached-response.js';
import type { ResponseCache } from './response-cache.js';

/** An answer that was sent synchronously, or the promise of one. */
export type SendResult = Promise<void> | 'sent';

interface SendOptions {
  readonly mayPack: boolean;
  readonly onChunk?: (chunk: Uint8Array) => void;
}

/** Sends a reply as received, or compressed on the way. */
export const sendReply = async (
  exchange: Exchange,
  reply: RpcReply,
  metadata: ResponseMetadata,
  { mayPack, onChunk }: SendOptions,
): Promise<void> => {
  const encoding = mayPack ? encodingFor(exchange, metadata.isText, reply.totalBytes) : undefined;
  const noticed = withRequestNotices(metadata, noticesOf(exchange.response));
  const notices = noticed.isJson ? noticed.notices : [];
  const sentMetadata = encoding === undefined ? noticed : compressedMetadata(noticed, encoding);
  const { first, rest } = reply;
  if (matchesIfNoneMatch(exchange, sentMetadata)) {
    reply.cancelRest?.();
    notModified(exchange, sentMetadata);
  } else if (rest === undefined) {
    const bytes = replaceNotices(first, { from: [], to: notices });
    const body = encoding === undefined ? bytes : await compress(encoding, bytes);
    send(exchange, completeResponse(sentMetadata, { body, length: body.length }));
  } else {
    const headers = headersFor(exchange, sentMetadata);
    const memory = reserveStream(exchange, reply, encoding);
    await pipeReply(
      exchange.response,
      { reply, rest, encoding, notices, memory },
      { headers, ...(onChunk ? { onChunk } : {}) },
    );
  }
};

const reserveStream = (
  exchange: Exchange,
  { totalBytes, cancelRest }: RpcReply,
  encoding: Encoding | undefined,
): AnswerMemory => {
  const coding = encoding === undefined ? 0 : codingBytes;
  try {
    return exchange.reserveAnswer(exchange, Math.min(totalBytes, chunkBytes) + coding);
  } catch (error) {
    cancelRest?.();
    throw error;
  }
};

/** The cached response has no notice on a request, so this one is made for its request alone. */
const withNotices = (exchange: Exchange, response: CachedResponse): SendResult => {
  const noticed = completeWithNotices(response, noticesOf(exchange.response));
  const encoding = encodingFor(exchange, noticed.isText, noticed.length);
  if (encoding !== undefined)
    return compressedResponse(noticed, encoding).then((compressed) => send(exchange, compressed));
  send(exchange, noticed);
  return 'sent';
};

/** Sends complete responses, compressed on request. Compressed forms of cached ones are cached, too. */
export const responseSender = (cache: ResponseCache) => {
  const underWay = new WeakMap<CachedResponse, Map<Encoding, Promise<CachedResponse>>>();
  const packedKey = (key: string, encoding: Encoding): string => `${key}\n${encoding}`;

  const pack = async (key: string, response: CachedResponse, encoding: Encoding): Promise<CachedResponse> => {
    const compressed = await compressedResponse(response, encoding);
    // If the response was dropped meanwhile, its compressed form must not be cached.
    if (cache.get(key) === response) cache.set(packedKey(key, encoding), compressed);
    return compressed;
  };
  const compressOnce = (key: string, response: CachedResponse, encoding: Encoding): Promise<CachedResponse> => {
    const compressing = underWay.get(response) ?? new Map<Encoding, Promise<CachedResponse>>();
    underWay.set(response, compressing);
    const inFlight =
      compressing.get(encoding) ?? pack(key, response, encoding).finally(() => compressing.delete(encoding));
    compressing.set(encoding, inFlight);
    return inFlight;
  };
  const ready = (exchange: Exchange, key: string, response: CachedResponse): SendResult => {
    if (noticesOf(exchange.response).length > 0) return withNotices(exchange, response);
    const encoding = encodingFor(exchange, response.isText, response.length);
    if (encoding === undefined) {
      send(exchange, response);
      return 'sent';
    }
    const sentMetadata = compressedMetadata(response, encoding);
    if (!matchesIfNoneMatch(exchange, sentMetadata))
      return compressOnce(key, response, encoding).then((compressed) => send(exchange, compressed));
    notModified(exchange, sentMetadata);
    return 'sent';
  };
  const trusted = (key: string): CachedResponse | undefined => {
    const response = cache.get(key);
    return response?.trusted() === true ? response : undefined;
  };
  /** The cached response of this key in the client's coding, if it needs no work. */
  const sendable = (request: ReceivedRequest, key: string): CachedResponse | undefined => {
    const encoding = negotiateEncoding(request);
    const cachedVariant = encoding === undefined ? undefined : trusted(packedKey(key, encoding));
    if (cachedVariant !== undefined) return cachedVariant;
    const response = trusted(key);
    if (response === undefined) return undefined;
    return encodingFor({ request }, response.isText, response.length) === undefined ? response : undefined;
  };
  return {
    ready,
    sendable,
    /** Sends the cached response of this key, if there is one and its changes arrive. */
    sendCached: (exchange: Exchange, key: string): SendResult | undefined => {
      const answer = noticesOf(exchange.response).length > 0 ? undefined : sendable(exchange.request, key);
      if (answer === undefined) {
        const response = trusted(key);
        return response === undefined ? undefined : ready(exchange, key, response);
      }
      send(exchange, answer);
      return 'sent';
    },
  };
};

export type ResponseSender = ReturnType<typeof responseSender>;
