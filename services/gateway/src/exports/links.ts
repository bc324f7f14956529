import type { RpcClient } from '@almanac/bus';
import { type ExportManifest, exportRpc } from '@almanac/contracts';
import { singleFlight } from '@almanac/runtime';
import { LRUCache } from 'lru-cache';
import { contextOf, type Exchange } from '../http/exchange.js';

/** A signed link; times in milliseconds since the epoch. */
export interface SignedLink {
  readonly url: string;
  readonly expiresMs: number;
  /** What the file was made of; null in a link for this process, and of a file of before there was one. */
  readonly manifest: ExportManifest | null;
}

export interface LinkCache {
  /** A link to a ready export that lives for at least half of its time; one for clients, or one for this process. */
  get(exportId: string, exchange: Exchange, isPublic: boolean): Promise<SignedLink>;
  /** Tells that the link for this process led to nothing, and forgets both; throws `export_restoring` where that is so. */
  missing(exportId: string, exchange: Exchange): Promise<void>;
}

interface CachedLink {
  readonly link: SignedLink;
  readonly reusedUntilMs: number;
  /** About what it takes of memory. */
  readonly bytes: number;
}

/** Some 15,000 links of small exports; a manifest tells of each market, and a pack may have thousands. */
const cacheBytesMax = 33_554_432;
/** Of the entry and its key. */
const entryBytes = 800;
/** Objects take so much more than their JSON. */
const bytesOfJson = 3;

const cachedLinkOf = (link: SignedLink, renew_us: number): CachedLink => {
  const manifestBytes = link.manifest === null ? 0 : JSON.stringify(link.manifest).length * bytesOfJson;
  return { link, reusedUntilMs: renew_us / 1_000, bytes: entryBytes + link.url.length + manifestBytes };
};

/**
 * Signed links of exports that were asked for: one is reused until half of its life, so a poll costs no call. Only an
 * export's own account gets here, and the link in memory stands under its id, which is nobody else's.
 */
export const createLinkCache = (rpc: RpcClient): LinkCache => {
  const links = new LRUCache<string, CachedLink>({ maxSize: cacheBytesMax, sizeCalculation: ({ bytes }) => bytes });
  const inFlight = singleFlight<{ result: Promise<SignedLink> }>();

  const requestLink = async (
    key: string,
    input: { export_id: string; public: boolean; missing?: boolean },
    exchange: Exchange,
  ): Promise<SignedLink> => {
    const answer = await rpc.call(exportRpc.link, { input, context: contextOf(exchange) });
    const link = { url: answer.url, expiresMs: answer.expires_us / 1_000, manifest: answer.manifest };
    links.set(key, cachedLinkOf(link, answer.renew_us));
    return link;
  };

  return {
    missing: async (exportId, exchange) => {
      const of = `${exchange.caller.account}.${exportId}`;
      for (const key of [`${of}.public`, `${of}.internal`]) links.delete(key);
      await requestLink(`${of}.internal`, { export_id: exportId, public: false, missing: true }, exchange);
    },
    get: async (exportId, exchange, isPublic) => {
      const key = `${exchange.caller.account}.${exportId}.${isPublic ? 'public' : 'internal'}`;
      const cached = links.get(key);
      if (cached !== undefined && Date.now() < cached.reusedUntilMs) return cached.link;
      const start = () => ({ result: requestLink(key, { export_id: exportId, public: isPublic }, exchange) });
      return inFlight.join(key, start).call.result;
    },
  };
};
