import { Counter, Gauge, type Registry } from 'prom-client';

/** What the limits tell of themselves. */
export interface LimitMetrics {
  readonly leases: Counter<'from'>;
  readonly refused: Counter;
  readonly local: Gauge;
}

export const limitMetrics = (register: Registry): LimitMetrics => ({
  leases: new Counter({
    name: 'almanac_rate_limit_leases_total',
    help: 'leases of requests, from redis for all gateways or from memory for this one alone',
    labelNames: ['from'],
    registers: [register],
  }),
  refused: new Counter({
    name: 'almanac_rate_limited_total',
    help: 'requests refused with 429 rate_limited',
    registers: [register],
  }),
  local: new Gauge({
    name: 'almanac_rate_limit_local',
    help: '1 while this gateway limits on its own, since Redis does not answer',
    registers: [register],
  }),
});
