import {
  type AdminBus,
  connectBus,
  copyToPartitions,
  deadLetterStream,
  durables,
  partitionsMax,
  type PartitionMove,
  switchToPartitions,
  unlessMissing,
  tlsIn,
} from '@almanac/bus';
import type { CliInput, OfflineCommand } from './command.js';
import { UsageError } from '../error-message.js';
import { streamLimitsIn } from '../partitions.js';
import { reached } from '../reached.js';

/** Owners of the divided streams, with their durable consumers and the kinds of their subjects. */
const moved = [
  {
    stream: 'EVT_CATALOG',
    user: 'catalog',
    durables: [durables.catalogReadModel],
    kinds: ['market.*', 'event.*', 'series.*'],
  },
  {
    stream: 'EVT_ARCHIVE',
    user: 'timeseries',
    durables: [durables.timeseriesSettled, durables.timeseriesTrades],
    kinds: ['market.*'],
  },
] as const;

export const partitionsMove: OfflineCommand = {
  words: 'partitions move',
  takes: '--to NUMBER',
  does: 'Moves EVT_CATALOG and EVT_ARCHIVE from one stream to several while services run. Read docs/scaling.md first.',
  options: ['to'],
  hasSubject: false,
  runOffline: async (typed) => {
    const partitions = numberIn(typed.text('to'));
    const open: AdminBus[] = [];
    try {
      const moves: PartitionMove[] = [];
      for (const { user, ...one } of moved) {
        const connect = async (count: number): Promise<AdminBus> => {
          const bus = await connectAs(typed, user, count);
          open.push(bus);
          return bus;
        };
        moves.push({ ...one, from: await connect(1), to: await connect(partitions), print: typed.note });
      }
      await requireNoDeadLetter(open);
      for (const move of moves) await copyToPartitions(move);
      for (const move of moves) await switchToPartitions(move);
    } finally {
      await Promise.all(open.map((bus) => bus.close()));
    }
    typed.show([{ partitions }], `Moved. Restart all services and commands with NATS_PARTITIONS=${partitions} now.`);
  },
};

const numberIn = (text = ''): number => {
  const partitions = /^\d+$/.test(text) ? Number(text) : 0;
  if (partitions > 1 && partitions <= partitionsMax) return partitions;
  throw new UsageError(`Name the number of partitions with --to: 2 to ${partitionsMax}.`);
};

const connectAs = async ({ environment }: CliInput, user: string, partitions: number): Promise<AdminBus> => {
  const variable = `NATS_PASSWORD_${user.toUpperCase()}`;
  const { NATS_URL: url } = environment;
  const password = environment[variable];
  if (!url || !password) throw new UsageError(`Set NATS_URL and ${variable}. A system of npm start cannot be moved.`);
  const settings = { url, user, password, partitions, ...tlsIn(environment), ...streamLimitsIn(environment) };
  return reached(url, connectBus(settings));
};

/** A dead letter names its message by the sequence, which is another one after the move. */
const requireNoDeadLetter = async ([bus]: readonly AdminBus[]): Promise<void> => {
  const info = bus && (await unlessMissing(bus.jsm.streams.info(deadLetterStream)));
  if (info?.state.messages)
    throw new UsageError('There are dead letters. Retry or drop them first: `dead-letter list`.');
};
