import { type AdminBus, deadLetterStream, openDeadLetters, unlessMissing } from '@almanac/bus/client';
import { counted } from '../history/format.js';
import type { Fault } from './fault.js';

interface ServerConsumer {
  readonly stream: string;
  readonly durable: string;
  readonly user: string;
}

const fullShare = 0.9;
const behindMax = 10_000;

export const streamFaults = async (
  bus: AdminBus,
  { streams, consumers }: { streams: readonly string[]; consumers: readonly ServerConsumer[] },
): Promise<Fault[]> => [
  ...(await Promise.all(streams.map((stream) => ofStream(bus, stream)))).flat(),
  ...(await unlimitedFaults(bus, streams)),
  ...(await Promise.all(consumers.map((consumer) => ofConsumer(bus, consumer)))).flat(),
];

const ofStream = async (bus: AdminBus, name: string): Promise<Fault[]> => {
  const info = await unlessMissing(bus.jsm.streams.info(name));
  if (info === undefined) {
    const remedy =
      'Its service creates it when it starts. If the stream existed before, restore it from a backup first.';
    return [{ fault: `The stream ${name} is missing.`, remedy }];
  }
  const { state, config } = info;
  if (name === deadLetterStream) {
    const faults = await deadLetterFaults(bus);
    if (faults.length > 0) return faults;
  }
  if (config.max_bytes <= 0 || state.bytes < config.max_bytes * fullShare) return [];
  const fault = `The stream ${name} uses ${percent(state.bytes, config.max_bytes)} of its limit.`;
  return [{ fault, remedy: 'Raise NATS_STORAGE_GB: docs/runbooks/alerts.md#almanacstreamfull.' }];
};

/** Without NATS_STORAGE_GB no stream has a limit. With it, a stream lacks one only if it could not be applied. */
const unlimitedFaults = async (bus: AdminBus, streams: readonly string[]): Promise<Fault[]> => {
  const infos = await Promise.all(streams.map((name) => unlessMissing(bus.jsm.streams.info(name))));
  const isLimited = ({ config }: { config: { max_bytes: number } }): boolean => config.max_bytes > 0;
  const found = infos.filter((info) => info !== undefined);
  if (!found.some(isLimited)) return [];
  return found
    .filter((info) => !isLimited(info))
    .map(({ config }) => ({
      fault: `The stream ${config.name} has no storage limit, so it can fill the storage of all.`,
      remedy: 'It is as large as its share, or NATS has less storage. Raise NATS_STORAGE_GB and max_file_store.',
    }));
};

const deadLetterFaults = async (bus: AdminBus): Promise<Fault[]> => {
  const { ofConsumers, unreadable } = await openDeadLetters(bus);
  const faults: Fault[] = [];
  if (ofConsumers > 0) {
    faults.push({
      fault: `${counted(ofConsumers, 'dead letter')}: events that could not be processed.`,
      remedy: 'npm run almanac -- dead-letters lists each with its reason. They are stored for 30 days.',
    });
  }
  if (unreadable.size > 0) {
    faults.push({
      fault: `${counted(unreadable.size, 'message')} of an event stream cannot be read as an event.`,
      remedy: 'Find who wrote it. npm run almanac -- dead-letters lists each. Then acknowledge it.',
    });
  }
  return faults;
};

const ofConsumer = async (bus: AdminBus, { stream, durable, user }: ServerConsumer): Promise<Fault[]> => {
  const info = await unlessMissing(bus.jsm.consumers.info(stream, durable));
  // Its service creates it, and some exist only if configured.
  if (info === undefined) return [];
  const { num_pending: waiting, num_waiting: pullRequests, num_ack_pending: atWork } = info;
  if (waiting > 0 && pullRequests === 0 && atWork === 0) {
    const fault = `${counted(waiting, 'event')} wait${waiting === 1 ? 's' : ''} for ${durable}, and no process requests them.`;
    return [{ fault, remedy: `Start a process of ${user}.` }];
  }
  if (waiting <= behindMax) return [];
  const fault = `${durable} is ${counted(waiting, 'event')} behind.`;
  return [
    {
      fault,
      remedy: `This is normal during an import. Otherwise add processes of ${user}, or give its store more resources.`,
    },
  ];
};

const percent = (part: number, total: number): string => `${Math.floor((100 * part) / total)} %`;
