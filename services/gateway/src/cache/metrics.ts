import { counter, perValue, readGauge } from '@almanac/runtime';
import type { Registry } from 'prom-client';

export const cacheMetrics = (register: Registry, bytes: () => number) => {
  const answers = counter(
    'almanac_cache_answers_total',
    'answers of cacheable routes: hit is from the cache, miss is not',
    ['route', 'outcome'],
    register,
  );
  readGauge('almanac_cache_bytes', 'bytes of cached answers, including their overhead', bytes, register);
  const hits = perValue((route: string) => answers.labels(route, 'hit'));
  const misses = perValue((route: string) => answers.labels(route, 'miss'));
  return { hit: (route: string) => hits(route).inc(), miss: (route: string) => misses(route).inc() };
};
export type CacheMetrics = ReturnType<typeof cacheMetrics>;
