import type { RpcClient } from '@almanac/bus';
import { type Citation, type ExportManifest, exportRpc } from '@almanac/contracts';
import { singleFlight } from '@almanac/runtime';
import { LRUCache } from 'lru-cache';
import { contextOf, type Exchange } from '../http/exchange.js';

/** A signed link. Times are milliseconds since the epoch. */
export interface SignedLink {
  readonly url: string;
  readonly expiresMs: number;
  /** The content of the file. Null in a link for this process, and for files from before manifests existed. */
  readonly manifest: ExportManifest | null;
  /** How to cite the file. Null like `manifest`. */
  readonly citation: Citation | null;
}

export type LinkCache = ReturnType<typeof createLinkCache>;

interface CachedLink {
  readonly link: SignedLink;
  readonly reusedUntilMs: number;
  readonly bytes: number;
}

/** About 15,000 links of small exports. A manifest lists each market, and a pack may have thousands. */
const cacheBytesMax = 33_554_432;
/** Size of the entry and its key. */
const entryBytes = 800;
/** Objects take this many times the memory of their JSON. */
const bytesOfJson = 3;

const cachedLinkOf = (link: SignedLink, renew_us: number): CachedLink => {
  const manifestBytes = link.manifest === null ? 0 : JSON.stringify(link.manifest).length * bytesOfJson;
  return { link, reusedUntilMs: renew_us / 1_000, bytes: entryBytes + link.url.length + manifestBytes };
};

/**
 * Signed links of requested exports. Each is reused for half of its lifetime, so a poll costs no call. Only the
 * export's own account gets here, and links are cached by export id, which belongs to one account.
 */
export const createLinkCache = (rpc: RpcClient) => {
  const links = new LRUCache<string, CachedLink>({ maxSize: cacheBytesMax, sizeCalculation: ({ bytes }) => bytes });
  const inFlight = singleFlight<{ result: Promise<SignedLink> }>();

  const requestLink = async (
    key: string,
    input: { export_id: string; public: boolean; missing?: boolean },
    exchange: Exchange,
  ): Promise<SignedLink> => {
    const answer = await rpc.call(exportRpc.link, { input, context: contextOf(exchange) });
    const { url, manifest, citation } = answer;
    const link = { url, expiresMs: answer.expires_us / 1_000, manifest, citation };
    links.set(key, cachedLinkOf(link, answer.renew_us));
    return link;
  };

  return {
    /** Reports that the link led to no file, and drops both links. Throws `export_restoring` if the file is lost. */
    missing: async (exportId: string, exchange: Exchange) => {
      const of = `${exchange.caller.account}.${exportId}`;
      for (const key of [`${of}.public`, `${of}.internal`]) links.delete(key);
      await requestLink(`${of}.internal`, { export_id: exportId, public: false, missing: true }, exchange);
    },
    /** A link to a ready export that is valid for at least half of its lifetime, for clients or for this process. */
    get: async (exportId: string, exchange: Exchange, isPublic: boolean): Promise<SignedLink> => {
      const key = `${exchange.caller.account}.${exportId}.${isPublic ? 'public' : 'internal'}`;
      const cached = links.get(key);
      if (cached !== undefined && Date.now() < cached.reusedUntilMs) return cached.link;
      const start = () => ({ result: requestLink(key, { export_id: exportId, public: isPublic }, exchange) });
      return inFlight.join(key, start).call.result;
    },
  };
};
