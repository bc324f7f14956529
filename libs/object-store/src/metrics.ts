import { perValue, processMetrics, secondsBuckets, secondsSince } from '@almanac/runtime';
import { Counter, Histogram } from 'prom-client';

const registers = [processMetrics];

const requests = new Counter({
  name: 'almanac_s3_requests_total',
  help: 'requests to the object store with all their attempts, by outcome: ok, cancelled, or what failed',
  labelNames: ['operation', 'outcome'],
  registers,
});

const seconds = new Histogram({
  name: 'almanac_s3_request_seconds',
  help: 'from the first attempt to the end of the last',
  labelNames: ['operation'],
  buckets: secondsBuckets,
  registers,
});

const meterOf = perValue((operation: string) => {
  // The number of a part is for a person who reads of its failure.
  const label = operation.replace(/ \d+$/, '').replaceAll(' ', '_');
  return {
    outcomes: perValue((outcome: string) => requests.labels(label, outcome)),
    timed: seconds.labels(label),
  };
});

/** Counts a request that began at this reading of `performance.now()` and ended now. */
export const countRequest = (operation: string, outcome: string, beganAt: number): void => {
  const { outcomes, timed } = meterOf(operation);
  outcomes(outcome).inc();
  timed.observe(secondsSince(beganAt));
};
