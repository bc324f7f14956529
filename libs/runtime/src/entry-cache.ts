import { LRUCache } from 'lru-cache';

/**
 * A cache of at most `max` entries: the least recently used one goes first. Its memory grows with its entries. With the
 * option `max` of lru-cache, 100,000 entries take 2.7 MB before the first one is there.
 */
export const entryCache = <K extends string, V extends string | number | boolean | object>(
  max: number,
  { ttlMs }: { readonly ttlMs?: number } = {},
): LRUCache<K, V> =>
  new LRUCache<K, V>({ maxSize: max, sizeCalculation: () => 1, ...(ttlMs === undefined ? {} : { ttl: ttlMs }) });
