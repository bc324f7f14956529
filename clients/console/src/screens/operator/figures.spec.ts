import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperatorHistory } from '@almanac/client';
import { figuresOf, valueAtTime } from './figures.js';

const sample = (ts: number, more: Partial<OperatorHistory['samples'][number]> = {}) => ({
  ts,
  seconds: 60,
  requests: 120,
  errors: 6,
  p95_ms: 12,
  waiting: 3,
  dead_letters: 0,
  stream_bytes: 1_000,
  disk_free_bytes: null,
  disk_bytes: null,
  memory_bytes: { gateway: 100 },
  ...more,
});

const figuresOfSamples = (...samples: readonly ReturnType<typeof sample>[]) =>
  new Map(
    figuresOf({ every_s: 60, stored_s: 86_400, has_folder: true, samples: [...samples] }).map((one) => [one.name, one]),
  );

describe('the figures of the operator', () => {
  it('are rates of a second, and unknown in the first sample after a start', () => {
    const requests = figuresOfSamples(sample(0, { seconds: 0, requests: 0 }), sample(60)).get('requests');
    assert.deepEqual(
      requests?.series.map(({ values }) => values),
      [
        [null, 2],
        [null, 0.1],
      ],
    );
    assert.equal(requests?.series[0]?.last, 2);
  });

  it('end where samples are missing', () => {
    const backlog = figuresOfSamples(sample(0), sample(60), sample(600)).get('backlog');
    assert.deepEqual(backlog?.ts, [0, 60, 120, 600]);
    const values = backlog?.series[0]?.values ?? [];
    assert.deepEqual(values, [3, 3, null, 3]);
    assert.deepEqual(
      [90, 300, 601, -1].map((at) => valueAtTime({ ts: backlog?.ts ?? [] }, values, at)),
      [3, null, 3, null],
    );
  });

  it('have a line for each service, and for a disk that is known', () => {
    const figures = figuresOfSamples(
      sample(0, { memory_bytes: { gateway: 1 } }),
      sample(60, { memory_bytes: { export: 2 }, disk_free_bytes: 5 }),
    );
    assert.deepEqual(
      figures.get('memory')?.series.map(({ name, values }) => [name, values]),
      [
        ['gateway', [1, null]],
        ['export', [null, 2]],
      ],
    );
    assert.equal(figuresOfSamples(sample(0)).get('disk'), undefined);
    assert.deepEqual(
      figures.get('disk')?.series.map(({ name }) => name),
      ['free', 'size'],
    );
  });
});
