import { counter, histogram, perValue, secondsSince } from '@almanac/runtime';

const requests = counter(
  'almanac_s3_requests_total',
  'requests to the object store with all their attempts, by outcome: ok, cancelled, or what failed',
  ['operation', 'outcome'],
);

const seconds = histogram('almanac_s3_request_seconds', 'time from the first attempt to the end of the last', [
  'operation',
]);

const meterOf = perValue((operation: string) => {
  // The number of a part helps only in an error message.
  const label = operation.replace(/ \d+$/, '').replaceAll(' ', '_');
  return {
    outcomes: perValue((outcome: string) => requests.labels(label, outcome)),
    timed: seconds.labels(label),
  };
});

/** Counts a request that ends now. `beganAt` is a value of `performance.now()`. */
export const countRequest = (operation: string, outcome: string, beganAt: number): void => {
  const { outcomes, timed } = meterOf(operation);
  outcomes(outcome).inc();
  timed.observe(secondsSince(beganAt));
};
