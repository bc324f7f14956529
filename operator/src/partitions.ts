import { type Partitioned, partitionsMax } from '@almanac/bus';
import { LocalServerError } from '@almanac/local-servers';

/** `NATS_PARTITIONS` of an environment, for the operator's connections and the users of NATS. Default 1. */
export const partitionsIn = ({ NATS_PARTITIONS: text = '' }: NodeJS.ProcessEnv): Partitioned => {
  if (text === '') return { partitions: 1 };
  const partitions = /^\d+$/.test(text) ? Number(text) : 0;
  if (partitions >= 1 && partitions <= partitionsMax) return { partitions };
  throw new LocalServerError(`NATS_PARTITIONS is ${JSON.stringify(text)}. Set a number from 1 to ${partitionsMax}.`);
};

/** For a program that connects later. Nothing with one partition. */
export const partitionVariables = (environment: NodeJS.ProcessEnv): Record<string, string> => {
  const { partitions } = partitionsIn(environment);
  return partitions === 1 ? {} : { NATS_PARTITIONS: String(partitions) };
};
