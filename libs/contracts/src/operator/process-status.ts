import { z } from 'zod';
import { micros } from '../requests/numbers.js';

const outcomes = z.record(z.string(), z.string());

/** The answer of a process to the operator's status request. */
export const processStatus = z.object({
  service: z.string(),
  /** Host and process number. In Kubernetes the host is the pod. */
  instance: z.string(),
  version: z.string(),
  started_us: micros,
  now_us: micros,
  ready: z.boolean(),
  /** As in `/readyz`: the required checks and the failing optional ones, each `ok` or a sentence. */
  checks: outcomes,
  degraded: outcomes,
  /** Newer events that the process met and cannot read, at most 100. Earlier releases report none. */
  newer_events: z.array(z.object({ subject: z.string(), seq: z.int(), type: z.string() })).default([]),
  /** Resident memory. Earlier releases report none. */
  memory_bytes: z.int().min(0).nullable().default(null),
  /** The metrics. Empty if the request does not want them. */
  samples: z.array(z.object({ name: z.string(), labels: outcomes, value: z.number() })),
});
export type ProcessStatus = z.infer<typeof processStatus>;
