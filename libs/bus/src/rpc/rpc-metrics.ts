import type { Contract } from '@almanac/contracts';
import { counter, histogram, perValue, readGauge, secondsSince } from '@almanac/runtime';

const requests = counter(
  'almanac_rpc_requests_total',
  'calls that this process answered, by outcome: ok or the code of the error',
  ['method', 'outcome'],
);

const seconds = histogram('almanac_rpc_request_seconds', 'time from the arrival of a call until its answer is sent', [
  'method',
]);

const clientRequests = counter(
  'almanac_rpc_client_requests_total',
  'calls that this process made, by outcome: ok, the code of the error, or cancelled by the caller',
  ['method', 'outcome'],
);

let inFlight = 0;
readGauge(
  'almanac_rpc_requests_in_flight',
  'calls that this process received and has not answered yet',
  () => inFlight,
);

const methodOf = ({ service, method }: Contract): string => `${service}.${method}`;

/** Measures the calls of one contract that this process answers. */
export interface CallMeter {
  begin(): void;
  /** `outcome` is `ok` or the error code. `beganAt` is a value of `performance.now()`. */
  end(outcome: string, beganAt: number): void;
}

export const callMeter = perValue((contract: Contract): CallMeter => {
  const method = methodOf(contract);
  const outcomes = perValue((outcome: string) => requests.labels(method, outcome));
  const timed = seconds.labels(method);
  return {
    begin: () => void (inFlight += 1),
    end: (outcome, beganAt) => {
      inFlight -= 1;
      outcomes(outcome).inc();
      timed.observe(secondsSince(beganAt));
    },
  };
});

const clientRequestsOf = perValue((contract: Contract) =>
  perValue((outcome: string) => clientRequests.labels(methodOf(contract), outcome)),
);

export const countClientCall = (contract: Contract, outcome: string): void => clientRequestsOf(contract)(outcome).inc();
