import type { ConsumerStatus, Fault, StreamsStatus, StreamStatus } from '@almanac/contracts';
import { pluralize } from '@almanac/runtime';

const fullShare = 0.9;
const behindMax = 10_000;

/** Ordered by how soon users notice the fault. */
export const streamFaults = ({ streams, consumers, ...letters }: StreamsStatus): Fault[] => [
  ...streams.flatMap(ofStream),
  ...ofDeadLetters(letters),
  ...unlimitedFaults(streams),
  ...consumers.flatMap(ofConsumer),
];

const ofStream = ({ stream, exists, bytes, limit_bytes: limit }: StreamStatus): Fault[] => {
  if (!exists) {
    const remedy =
      'Its service creates it when it starts. If the stream existed before, restore it from a backup first.';
    return [{ fault: `The stream ${stream} is missing.`, remedy }];
  }
  if (limit === null || bytes < limit * fullShare) return [];
  const fault = `The stream ${stream} uses ${percent(bytes, limit)} of its limit.`;
  return [{ fault, remedy: 'Raise NATS_STORAGE_GB: docs/runbooks/alerts.md#almanacstreamfull.' }];
};

/** Without NATS_STORAGE_GB no stream has a limit. With it, a stream lacks one only if it could not be applied. */
const unlimitedFaults = (streams: readonly StreamStatus[]): Fault[] => {
  if (!streams.some(({ limit_bytes: limit }) => limit !== null)) return [];
  return streams
    .filter(({ exists, limit_bytes: limit }) => exists && limit === null)
    .map(({ stream }) => ({
      fault: `The stream ${stream} has no storage limit, so it can fill the storage of all.`,
      remedy: 'It is as large as its share, or NATS has less storage. Raise NATS_STORAGE_GB and max_file_store.',
    }));
};

const ofDeadLetters = ({ dead_letters, unreadable }: Pick<StreamsStatus, 'dead_letters' | 'unreadable'>): Fault[] => {
  const faults: Fault[] = [];
  const count = dead_letters.reduce((sum, one) => sum + one.count, 0);
  if (count > 0) {
    faults.push({
      fault: `${pluralize(count, 'dead letter')}: events that could not be processed.`,
      remedy: 'npm run almanac -- dead-letters lists each with its reason. They are stored for 30 days.',
    });
  }
  if (unreadable.count > 0) {
    faults.push({
      fault: `${pluralize(unreadable.count, 'message')} of an event stream cannot be read as an event.`,
      remedy: 'Find who wrote it. npm run almanac -- dead-letters lists each. Then acknowledge it.',
    });
  }
  return faults;
};

const ofConsumer = (consumer: ConsumerStatus): Fault[] => {
  const { consumer: durable, service, waiting, in_progress: inProgress, pull_requests: pullRequests } = consumer;
  if (waiting > 0 && pullRequests === 0 && inProgress === 0) {
    const fault = `${pluralize(waiting, 'event')} wait${waiting === 1 ? 's' : ''} for ${durable}, and no process requests them.`;
    return [{ fault, remedy: `Start a process of ${service}.` }];
  }
  if (waiting <= behindMax) return [];
  return [
    {
      fault: `${durable} is ${pluralize(waiting, 'event')} behind.`,
      remedy: `This is normal during an import. Otherwise add processes of ${service}, or give its store more resources.`,
    },
  ];
};

const percent = (part: number, total: number): string => `${Math.floor((100 * part) / total)} %`;
