import type { BenchHarness } from './harness.js';

export const services = ['commerce', 'keys', 'timeseries', 'catalog', 'export', 'webhooks', 'gateway'] as const;

/** Restarts each service, so that its memory is also that of this size alone. Milliseconds until each is ready. */
export const restartServices = async ({ system }: BenchHarness): Promise<Map<string, number>> => {
  const times = new Map<string, number>();
  for (const name of services) {
    await system.end(name);
    const startedAt = performance.now();
    await system.restart(name);
    times.set(name, performance.now() - startedAt);
  }
  return times;
};
