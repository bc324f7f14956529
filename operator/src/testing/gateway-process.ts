import type { ProcessStatus } from '@almanac/contracts';

/** A process that has no fault. */
export const gatewayProcess: ProcessStatus = {
  service: 'gateway',
  instance: 'host/1',
  version: '1.0.0',
  started_us: 0,
  now_us: 1e12,
  ready: true,
  checks: { process: 'ok' },
  degraded: {},
  newer_events: [],
  memory_bytes: null,
  samples: [],
};
