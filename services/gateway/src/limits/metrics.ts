import { counter, gauge } from '@almanac/runtime';
import type { Registry } from 'prom-client';

export const limitMetrics = (register: Registry) => ({
  leases: counter(
    'almanac_rate_limit_leases_total',
    'leases of requests: from redis for all gateways, or from memory for this gateway only',
    ['from'],
    register,
  ),
  refused: counter('almanac_rate_limited_total', 'requests refused with 429 rate_limited', [], register),
  local: gauge(
    'almanac_rate_limit_local',
    '1 while this gateway limits requests by itself because Redis does not answer',
    register,
  ),
});
export type LimitMetrics = ReturnType<typeof limitMetrics>;
