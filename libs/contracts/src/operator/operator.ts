import { z } from 'zod';
import { contract } from '../requests/rpc.js';
import { type ServiceName, serviceNames } from '../services.js';

const time = z.number();
const number = z.int().min(0);

const streamStatus = z
  .object({
    stream: z.string().meta({ description: 'Name of the stream at NATS', examples: ['EVT_EXPORT'] }),
    exists: z.boolean().meta({ description: 'False if NATS does not have the stream' }),
    messages: number.meta({ description: 'Stored messages', examples: [1840] }),
    bytes: number.meta({ description: 'Stored bytes', examples: [2097152] }),
    limit_bytes: number
      .nullable()
      .meta({ description: 'Storage limit of the stream. Null means no limit', examples: [null] }),
    newest_ts: time
      .nullable()
      .meta({ description: 'Time of the newest message, in Unix seconds', examples: [1771993500.25] }),
  })
  .meta({ id: 'StreamStatus', description: 'A stream of NATS.' });
export type StreamStatus = z.infer<typeof streamStatus>;

const consumerStatus = z
  .object({
    consumer: z.string().meta({ description: 'Name of the durable consumer', examples: ['export-workers'] }),
    stream: z.string().meta({ description: 'Stream that it reads', examples: ['EVT_FILE'] }),
    service: z.string().meta({ description: 'Service whose processes read it', examples: ['export'] }),
    waiting: number.meta({ description: 'Messages that were not delivered yet', examples: [12] }),
    in_progress: number.meta({ description: 'Messages that were delivered and not acknowledged', examples: [2] }),
    redelivered: number.meta({
      description: 'Messages that were delivered more than once and not acknowledged',
      examples: [0],
    }),
    pull_requests: number.meta({
      description: 'Open requests for messages. Zero while messages wait means that no process reads',
      examples: [1],
    }),
  })
  .meta({ id: 'ConsumerStatus', description: 'A durable consumer. All processes of its service share it.' });
export type ConsumerStatus = z.infer<typeof consumerStatus>;

const deadLetter = z
  .object({
    number: number.meta({ description: 'Number of the dead letter in `almanac dead-letters`', examples: [812] }),
    stored_ts: time.meta({ description: 'When it was stored, in Unix seconds', examples: [1771993500.25] }),
    subject: z.string().meta({ description: 'Subject of the message', examples: ['evt.export.a1b2c3d4e5f6.x1'] }),
    sequence: number.meta({ description: 'Sequence of the message in its stream', examples: [91] }),
    reason: z
      .string()
      .meta({ description: 'Why it could not be processed', examples: ['The object store refuses the file'] }),
  })
  .meta({ id: 'DeadLetter', description: 'A message that no delivery could process.' });
export type DeadLetter = z.infer<typeof deadLetter>;

const deadLettersOfConsumer = z
  .object({
    consumer: z.string().meta({ description: 'Name of the durable consumer', examples: ['export-workers'] }),
    count: number.meta({ description: 'Its dead letters', examples: [1] }),
    newest: deadLetter.nullable().meta({ description: 'The newest one. Null if its service does not answer' }),
  })
  .meta({ id: 'ConsumerDeadLetters', description: 'The dead letters of a durable consumer.' });
export type DeadLettersOfConsumer = z.infer<typeof deadLettersOfConsumer>;

/** Shown in one answer. `almanac dead-letters` lists all. */
export const unreadableShownMax = 20;

const unreadableMessages = z
  .object({
    count: number.meta({ description: 'Messages of event streams that are no events', examples: [0] }),
    examples: z
      .array(
        z.object({
          stream: z.string().meta({ description: 'Event stream of the message', examples: ['EVT_KEYS'] }),
          sequence: number.meta({ description: 'Its sequence in the stream', examples: [7] }),
        }),
      )
      .max(unreadableShownMax)
      .meta({ description: `At most ${unreadableShownMax} of them` }),
  })
  .meta({ id: 'UnreadableMessages', description: 'Messages that cannot be read as events.' });

/** What a service knows of JetStream: its own streams and consumers, and how many dead letters each consumer has. */
const streamsStatus = z.object({
  streams: z.array(streamStatus).meta({ description: 'Streams' }),
  consumers: z.array(consumerStatus).meta({ description: 'Durable consumers and their backlog' }),
  dead_letters: z.array(deadLettersOfConsumer).meta({ description: 'Dead letters of each consumer that has some' }),
  unreadable: unreadableMessages,
});
export type StreamsStatus = z.infer<typeof streamsStatus>;

const streamsContract = (service: ServiceName) =>
  contract({
    service,
    method: 'streams',
    kind: 'query',
    input: z.object({}),
    output: streamsStatus,
    errors: [],
    timeoutMs: 3_000,
  });

/** One process of each service answers. */
export const streamsRpc = Object.fromEntries(
  serviceNames.map((service) => [service, streamsContract(service)]),
) as Readonly<Record<ServiceName, ReturnType<typeof streamsContract>>>;

const serviceReport = z
  .object({
    service: z.string().meta({ description: 'Name of the service', examples: ['export'] }),
    processes: number.meta({ description: 'Processes that answered. Zero means that the service is silent' }),
    streams_known: z.boolean().meta({
      description: 'False if the service did not report its streams, so they are missing from this answer',
    }),
  })
  .meta({ id: 'ServiceReport', description: 'A service, and whether it answered.' });
export type ServiceReport = z.infer<typeof serviceReport>;

const processReport = z
  .object({
    service: z.string().meta({ description: 'Its service', examples: ['export'] }),
    instance: z.string().meta({ description: 'Host and process number', examples: ['worker-1/4711'] }),
    version: z.string().meta({ description: 'Release that it runs', examples: ['0.1.0'] }),
    started_ts: time.meta({ description: 'Start of the process, in Unix seconds', examples: [1771990000.5] }),
    ready: z.boolean().meta({ description: 'Whether it accepts work' }),
    faults: z
      .array(
        z.object({
          check: z.string().meta({ description: 'Name of the check', examples: ['redis'] }),
          outcome: z.string().meta({ description: 'What it found', examples: ['no answer within 2000 ms'] }),
        }),
      )
      .meta({ description: 'Checks that fail. A process can be ready although an optional check fails' }),
    memory_bytes: number
      .nullable()
      .meta({ description: 'Resident memory. Null for a process of an earlier release', examples: [92274688] }),
    newer_events: number.meta({
      description: 'Events of a newer release that it delays. It reports at most 100',
      examples: [0],
    }),
  })
  .meta({ id: 'ProcessReport', description: 'A process of the gateway or of a service.' });
export type ProcessReport = z.infer<typeof processReport>;

const faultReport = z
  .object({
    fault: z.string().meta({ description: 'What is wrong', examples: ['No process of export answers.'] }),
    remedy: z.string().meta({
      description: 'What to do',
      examples: ['Start it, or read its log. A process that cannot start logs the reason in one line.'],
    }),
  })
  .meta({ id: 'SystemFault', description: 'A fault of the running system, with its remedy.' });
/** Something wrong with the running system, and what to do about it. */
export type Fault = Readonly<z.infer<typeof faultReport>>;

export const operatorStatus = z
  .object({
    ts: time.meta({ description: 'Time of this report, in Unix seconds', examples: [1771993500.25] }),
    nats_version: z.string().meta({ description: 'Release of nats-server', examples: ['2.12.1'] }),
    services: z.array(serviceReport).meta({ description: 'The gateway and every service' }),
    processes: z.array(processReport).meta({ description: 'Processes that answered' }),
    ...streamsStatus.shape,
    faults: z.array(faultReport).meta({ description: 'Faults that these figures show, most urgent first' }),
  })
  .meta({ id: 'OperatorStatus', description: 'The state of the running system.' });
export type OperatorStatus = z.infer<typeof operatorStatus>;
