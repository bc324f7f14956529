import { bytesOf, type RpcClient, type RpcReply } from '@almanac/bus';
import type { LRUCache } from 'lru-cache';
import { clientGone } from '../http/client-gone.js';
import { contextOf, type Exchange } from '../http/exchange.js';
import { readyBody } from '../http/reply.js';
import type { Question } from '../routes/parts.js';
import type { Asked } from './asked.js';
import type { Fill, Fills } from './fills.js';
import { createFlights, type Landing } from './flights.js';
import { type HotAnswer, type Told, toldOf, wholeAnswer } from './hot-answer.js';
import type { HotCache } from './hot-cache.js';
import { sendReply, type Serving } from './serving.js';

export const ask = (rpc: RpcClient, { contract, input, exchange }: Question, signal?: AbortSignal): Promise<RpcReply> =>
  rpc.forward(contract, { input, context: contextOf(exchange), ...(signal === undefined ? {} : { signal }) });

export interface FillingOptions {
  readonly rpc: RpcClient;
  readonly cache: HotCache;
  readonly fills: Fills;
  /** An answer is kept from this ask on. */
  readonly asksToKeep: number;
  /** Whether changes arrive, so that what is in memory is what there is. */
  readonly trusted: () => boolean;
}

interface About {
  readonly key: string;
  readonly ticker: string;
  readonly topics: readonly string[];
}

interface Memory {
  readonly versions: LRUCache<string, number>;
  readonly asked: Asked;
  readonly serve: Serving;
}

/** Asks, answers, and keeps the answer, where it is to be kept, if nothing that it tells of changed in the meantime. */
export const filling = (options: FillingOptions, { versions, asked, serve }: Memory) => {
  const { rpc, cache, fills, trusted, asksToKeep } = options;
  const flights = createFlights(trusted);

  const fits = ({ key }: About, { totalBytes }: RpcReply, { etag }: Told): boolean =>
    etag !== undefined && totalBytes <= cache.answerBytesMax && asked.count(key) >= asksToKeep;

  const isCurrent = ({ ticker }: About, { meta }: RpcReply, fill: Fill): boolean =>
    fill.fresh && trusted() && (meta.version ?? 0) >= (versions.get(ticker) ?? 0);

  const answerOf = (about: About, { meta }: RpcReply, told: Told, bytes: Buffer): HotAnswer => ({
    ...wholeAnswer(told, readyBody(bytes, told.isText)),
    freshUntilMs: (meta.freshUntilUs ?? Number.POSITIVE_INFINITY) / 1_000,
    topics: about.topics,
  });

  /** The whole answer, made once for all who wait for it. */
  const whole = async (about: About, { reply, fill }: Landing, told: Told): Promise<HotAnswer> => {
    try {
      const bytes = await bytesOf(reply);
      const isKept = fits(about, reply, told) && isCurrent(about, reply, fill);
      // A part is a view of a larger buffer, which must not stay for its sake.
      const answer = answerOf(about, reply, told, isKept && reply.rest === undefined ? Buffer.from(bytes) : bytes);
      if (isKept) cache.keep(about.key, answer);
      return answer;
    } finally {
      fill.end();
    }
  };

  /** A long reply for one client: it goes through, and a copy stays where it is to be kept. */
  const through = async (exchange: Exchange, about: About, { reply, fill }: Landing, told: Told): Promise<void> => {
    const parts: Uint8Array[] = [];
    const keep = fits(about, reply, told) ? { keep: (part: Uint8Array) => void parts.push(part) } : {};
    try {
      await sendReply(exchange, reply, told, { mayPack: true, ...keep });
      const bytes = Buffer.concat(parts);
      if (bytes.length === reply.totalBytes && isCurrent(about, reply, fill)) {
        cache.keep(about.key, answerOf(about, reply, told, bytes));
      }
    } finally {
      fill.end();
    }
  };

  return async (question: Question, about: About): Promise<void> => {
    const { exchange, form } = question;
    const gone = clientGone(exchange.response);
    const departure = {
      fill: () => fills.begin(about.topics),
      ask: (signal: AbortSignal) => ask(rpc, question, signal),
    };
    const landing = await flights.join(about.key, departure, gone);
    const { reply, isFirst, isShared } = landing;
    const told = toldOf(reply.meta, form, about.key);
    const isShareable = told.etag !== undefined && reply.totalBytes <= cache.answerBytesMax;
    if (isFirst && !isShared) {
      if (reply.rest !== undefined) return through(exchange, about, landing, told);
    } else if (!isShareable) {
      if (isFirst) return through(exchange, about, landing, told);
      const own = await ask(rpc, question, gone);
      return sendReply(exchange, own, toldOf(own.meta, form, about.key), { mayPack: true });
    }
    const answer = await landing.once(() => whole(about, landing, told));
    const answering = serve.ready(exchange, about.key, answer);
    if (answering !== 'sent') await answering;
  };
};
