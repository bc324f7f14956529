import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProcessStatus } from '@almanac/contracts';
import { gatewayProcess as process } from '../testing/gateway-process.js';
import { figureLines, figuresOf } from './figures.js';

describe('the figures of the status page', () => {
  it('are rates between two samples, summed over the processes that are in both', () => {
    const sample = (name: string, value: number, labels: Record<string, string> = {}) => ({ name, value, labels });
    const at = (seconds: number, requests: number, instance: string): ProcessStatus => ({
      ...process,
      instance,
      now_us: seconds * 1e6,
      samples: [
        sample('almanac_http_request_seconds_count', requests),
        sample('almanac_http_request_seconds_sum', requests / 100),
        sample('almanac_http_requests_total', requests / 2, { status: '503' }),
        sample('almanac_consumer_pending', 7, { stream: 'EVT_FILE', consumer: 'export-workers' }),
      ],
    });
    const earlier = [at(10, 100, 'a'), at(10, 1_000, 'b')];
    const now = [at(20, 200, 'a'), at(20, 1_100, 'b'), at(20, 5_000, 'new')];
    const figures = figuresOf(earlier, now);
    const [requests] = figureLines(figures);
    assert.deepEqual(requests, ['Requests', '20.0/s, 10.0/s of them 5xx, 10.0 ms each, 0 in flight']);
    assert.deepEqual(figures.requests, { per_s: 20, failed_per_s: 10, mean_ms: 10, running: 0 });
    assert.deepEqual(figures.consumers, [{ consumer: 'export-workers', waiting: 7, at_work: 0, done_per_s: 0 }]);
  });
});
