import { z } from 'zod';
import { micros } from './numbers.js';

const outcomes = z.record(z.string(), z.string());

/** What a process says of itself when the operator asks all of them at once. */
export const processStatus = z.object({
  service: z.string(),
  /** Host and process number: in Kubernetes the host is the pod. */
  instance: z.string(),
  version: z.string(),
  started_us: micros,
  /** Its own clock. */
  now_us: micros,
  ready: z.boolean(),
  /** As in `/readyz`: what it stands on, `ok` or what is wrong; and what it does without at the moment. */
  checks: outcomes,
  degraded: outcomes,
  /** Its counters and gauges, as in `/metrics`. */
  samples: z.array(z.object({ name: z.string(), labels: outcomes, value: z.number() })),
});
export type ProcessStatus = z.infer<typeof processStatus>;
