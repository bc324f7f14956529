import { perValue, readGauge } from '@almanac/runtime';
import { Counter, type Registry } from 'prom-client';

/** What the memory of ready answers tells of itself. */
export interface CacheMetrics {
  readonly hit: (route: string) => void;
  readonly miss: (route: string) => void;
}

export const cacheMetrics = (register: Registry, bytes: () => number): CacheMetrics => {
  const answers = new Counter({
    name: 'almanac_cache_answers_total',
    help: 'answers of routes whose answers may be kept: hit is from memory, miss is not',
    labelNames: ['route', 'outcome'],
    registers: [register],
  });
  const held = { name: 'almanac_cache_bytes', help: 'bytes of ready answers in memory, with what is around them' };
  readGauge(register, held, bytes);
  const hits = perValue((route: string) => answers.labels(route, 'hit'));
  const misses = perValue((route: string) => answers.labels(route, 'miss'));
  return { hit: (route) => hits(route).inc(), miss: (route) => misses(route).inc() };
};
