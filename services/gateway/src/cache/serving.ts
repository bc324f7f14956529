import type { RpcReply } from '@almanac/bus';
import type { Exchange } from '../http/exchange.js';
import { packed } from '../http/packing.js';
import { pipeReply } from '../http/reply.js';
import { type Encoding, encodingWished } from '../http/wishes.js';
import {
  encodingFor,
  headersFor,
  type HotAnswer,
  isKnown,
  notModified,
  packedAnswer,
  send,
  type Told,
  toldPacked,
  wholeAnswer,
} from './hot-answer.js';
import type { HotCache } from './hot-cache.js';

/** An answer that is sent already, or is being sent. */
export type Answering = Promise<void> | 'sent';

interface Sending {
  readonly mayPack: boolean;
  readonly keep?: (part: Uint8Array) => void;
}

/** Sends a reply as it came, or packed on its way. */
export const sendReply = async (
  exchange: Exchange,
  reply: RpcReply,
  told: Told,
  { mayPack, keep }: Sending,
): Promise<void> => {
  const encoding = mayPack ? encodingFor(exchange, told.isText, reply.totalBytes) : undefined;
  const shown = encoding === undefined ? told : toldPacked(told, encoding);
  const { first, rest } = reply;
  if (isKnown(exchange, shown)) {
    reply.refuseRest?.();
    notModified(exchange, shown);
  } else if (rest === undefined) {
    const body = encoding === undefined ? first : await packed(encoding, first);
    send(exchange, wholeAnswer(shown, { body, length: body.length }));
  } else {
    const headers = headersFor(exchange, shown);
    await pipeReply(exchange.response, { reply, rest, encoding }, { headers, ...(keep ? { keep } : {}) });
  }
};

/** Sends ready answers, packed where the client asks for it; what was packed of a kept one is kept as well. */
export const serving = (cache: HotCache) => {
  const underWay = new WeakMap<HotAnswer, Map<Encoding, Promise<HotAnswer>>>();
  const packedKey = (key: string, encoding: Encoding): string => `${key}\n${encoding}`;

  const pack = async (key: string, answer: HotAnswer, encoding: Encoding): Promise<HotAnswer> => {
    const made = await packedAnswer(answer, encoding);
    // It may have been dropped in the meantime, and then what was made of it must not stay.
    if (cache.get(key) === answer) cache.keep(packedKey(key, encoding), made);
    return made;
  };
  const packOnce = (key: string, answer: HotAnswer, encoding: Encoding): Promise<HotAnswer> => {
    const packing = underWay.get(answer) ?? new Map<Encoding, Promise<HotAnswer>>();
    underWay.set(answer, packing);
    const making = packing.get(encoding) ?? pack(key, answer, encoding).finally(() => packing.delete(encoding));
    packing.set(encoding, making);
    return making;
  };
  const ready = (exchange: Exchange, key: string, answer: HotAnswer): Answering => {
    const encoding = encodingFor(exchange, answer.isText, answer.length);
    if (encoding === undefined) {
      send(exchange, answer);
      return 'sent';
    }
    const shown = toldPacked(answer, encoding);
    if (!isKnown(exchange, shown)) return packOnce(key, answer, encoding).then((made) => send(exchange, made));
    notModified(exchange, shown);
    return 'sent';
  };
  return {
    ready,
    /** What memory has under this key. */
    known: (exchange: Exchange, key: string): Answering | undefined => {
      const encoding = encodingWished(exchange.request);
      const kept = encoding === undefined ? undefined : cache.get(packedKey(key, encoding));
      if (kept !== undefined) {
        send(exchange, kept);
        return 'sent';
      }
      const answer = cache.get(key);
      return answer === undefined ? undefined : ready(exchange, key, answer);
    },
  };
};

export type Serving = ReturnType<typeof serving>;
