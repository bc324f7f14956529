import type { RpcClient } from '@almanac/bus';
import { exportRpc } from '@almanac/contracts';
import { createLru } from '../cache/lru.js';
import { contextOf, type Exchange } from '../http/exchange.js';

/** A signed link; times in milliseconds since the epoch. */
export interface Link {
  readonly url: string;
  readonly expiresMs: number;
}

export interface Links {
  /** A link to a ready export that lives for at least half of its time; one for clients, or one for this process. */
  get(exportId: string, exchange: Exchange, isPublic: boolean): Promise<Link>;
  /** Tells that the link for this process led to nothing, and forgets both; throws `export_restoring` where that is so. */
  missing(exportId: string, exchange: Exchange): Promise<void>;
}

const linksMax = 20_000;

/**
 * Signed links of exports that were asked for: one is reused until half of its life, so a poll costs no call. Only an
 * export's own account gets here, and the link in memory stands under its id, which is nobody else's.
 */
export const createLinks = (rpc: RpcClient): Links => {
  const links = createLru<{ link: Link; reusedUntilMs: number }>(linksMax);
  const asking = new Map<string, Promise<Link>>();

  const ask = async (
    key: string,
    input: { export_id: string; public: boolean; missing?: boolean },
    exchange: Exchange,
  ): Promise<Link> => {
    const { url, expires_us, renew_us } = await rpc.call(exportRpc.link, { input, context: contextOf(exchange) });
    const link = { url, expiresMs: expires_us / 1_000 };
    links.set(key, { link, reusedUntilMs: renew_us / 1_000 });
    return link;
  };

  return {
    missing: async (exportId, exchange) => {
      const of = `${exchange.caller.account}.${exportId}`;
      for (const key of [`${of}.public`, `${of}.internal`]) links.delete(key);
      await ask(`${of}.internal`, { export_id: exportId, public: false, missing: true }, exchange);
    },
    get: async (exportId, exchange, isPublic) => {
      const key = `${exchange.caller.account}.${exportId}.${isPublic ? 'public' : 'internal'}`;
      const known = links.get(key);
      if (known !== undefined && Date.now() < known.reusedUntilMs) return known.link;
      const begun = asking.get(key);
      if (begun !== undefined) return begun;
      const asked = ask(key, { export_id: exportId, public: isPublic }, exchange).finally(() => asking.delete(key));
      asking.set(key, asked);
      return asked;
    },
  };
};
