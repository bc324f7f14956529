import { z } from 'zod';

const time = z.number();
const number = z.int().min(0);

export const operatorSample = z
  .object({
    ts: time.meta({ description: 'When it was taken, in Unix seconds', examples: [1771993500.25] }),
    seconds: z
      .number()
      .min(0)
      .meta({
        description: 'Seconds since the sample before, in which its requests were answered. Zero for the first one',
        examples: [60],
      }),
    requests: number.meta({ description: 'Requests that all gateways answered in this time', examples: [480] }),
    errors: number.meta({ description: 'How many of them were answered with a status of 500 or more', examples: [0] }),
    p95_ms: z
      .number()
      .min(0)
      .nullable()
      .meta({
        description:
          'In how many milliseconds 95% of them were answered, without event streams and files. Null without a request',
        examples: [12.5],
      }),
    waiting: number.meta({ description: 'Messages that wait for all durable consumers', examples: [12] }),
    dead_letters: number.meta({ description: 'Dead letters of all consumers', examples: [0] }),
    stream_bytes: number.meta({ description: 'Bytes of all streams at NATS', examples: [20971520] }),
    disk_free_bytes: number.nullable().meta({
      description: 'Free bytes of the disk with the folder `HISTORY_FOLDER`. Null without a folder',
      examples: [182000000000],
    }),
    disk_bytes: number.nullable().meta({ description: 'Size of this disk', examples: [256000000000] }),
    memory_bytes: z.record(z.string(), number).meta({
      description: 'Resident memory of all processes of each service that answered',
      examples: [{ gateway: 92274688, export: 88080384 }],
    }),
  })
  .meta({ id: 'OperatorSample', description: 'What the system did in a minute, and its state at the end of it.' });
export type OperatorSample = z.infer<typeof operatorSample>;

export const operatorHistory = z
  .object({
    every_s: number.meta({ description: 'Seconds between two samples', examples: [60] }),
    stored_s: number.meta({ description: 'How long a sample is stored, in seconds', examples: [86400] }),
    has_folder: z.boolean().meta({ description: 'Whether samples outlive a restart of the gateway' }),
    samples: z.array(operatorSample).meta({ description: 'Samples of the last day, oldest first' }),
  })
  .meta({ id: 'OperatorHistory', description: 'Figures of the running system over the last day.' });
export type OperatorHistory = z.infer<typeof operatorHistory>;
