import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProcessStatus } from '@almanac/contracts';
import { quantileMs, takeSample } from './take-sample.js';

const noStreams = { streams: [], consumers: [], dead_letters: [] };

interface Counted {
  readonly instance?: string;
  readonly startedS?: number;
  readonly requests: number;
  readonly errors?: number;
}

/** A gateway whose answers all took between 10 and 25 ms. */
const gateway = ({ instance = 'a/1', startedS = 100, requests, errors = 0 }: Counted): ProcessStatus => ({
  service: 'gateway',
  instance,
  version: '0.1.0',
  started_us: startedS * 1e6,
  now_us: 0,
  ready: true,
  checks: {},
  degraded: {},
  newer_events: [],
  memory_bytes: 100,
  samples: [
    { name: 'almanac_http_requests_total', labels: { status: '200' }, value: requests - errors },
    { name: 'almanac_http_requests_total', labels: { status: '503' }, value: errors },
    ...[
      ['0.01', 0],
      ['0.025', requests],
      ['+Inf', requests],
    ].map(([le, value]) => ({
      name: 'almanac_http_answer_seconds_bucket',
      labels: { le: String(le) },
      value: Number(value),
    })),
  ],
});

const samplesOf = (...rounds: readonly (readonly Counted[])[]) => {
  let before: ReturnType<typeof takeSample>['counted'] | undefined;
  return rounds.map((gateways, at) => {
    const reports = { ts: 1_000 + 60 * at, processes: gateways.map(gateway), streams: noStreams, disk: undefined };
    const { sample, counted } = takeSample(reports, before);
    before = counted;
    return sample;
  });
};

describe('a sample of the system', () => {
  it('has the requests and errors since the sample before, of all gateways', () => {
    const [first, second] = samplesOf(
      [{ requests: 50 }, { instance: 'b/2', requests: 7 }],
      [
        { requests: 150, errors: 4 },
        { instance: 'b/2', requests: 17 },
      ],
    );
    assert.deepEqual([first?.seconds, first?.requests, first?.p95_ms], [0, 0, null]);
    assert.deepEqual([second?.seconds, second?.requests, second?.errors], [60, 110, 4]);
    assert.equal(second?.p95_ms, 24.25);
    assert.deepEqual(second?.memory_bytes, { gateway: 200 });
  });

  it('counts a process that has started since from zero, and nothing of one that was silent', () => {
    const [, restarted] = samplesOf([{ requests: 50 }], [{ instance: 'a/2', startedS: 1_010, requests: 9 }]);
    assert.equal(restarted?.requests, 9);
    const [, , back] = samplesOf([{ requests: 50 }], [], [{ requests: 90 }]);
    assert.equal(back?.requests, 0);
    const [, sameName] = samplesOf([{ requests: 50 }], [{ startedS: 1_010, requests: 9 }]);
    assert.equal(sameName?.requests, 9);
  });

  it('has the last known bound for answers beyond all bounds', () => {
    const buckets = new Map([
      [1, 1],
      [60, 2],
      [Infinity, 100],
    ]);
    assert.equal(quantileMs(0.95, buckets), 60_000);
    assert.equal(quantileMs(0.95, new Map()), null);
  });
});
