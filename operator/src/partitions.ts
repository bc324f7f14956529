import { type Partitioned, partitionsMax } from '@almanac/bus';
import { LocalServerError } from '@almanac/local-servers';
import { parseConfig, processVariables } from '@almanac/runtime';
import { z } from 'zod';

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

const { NATS_REPLICAS, NATS_STORAGE_GB } = processVariables;
const streamVariables = z.object({ NATS_REPLICAS, NATS_STORAGE_GB });

/** Of the streams that a command makes. Throws a ConfigError for what a service refuses, too. */
export const streamLimitsIn = (environment: NodeJS.ProcessEnv): { replicas: number; storageBytes?: number } => {
  const { NATS_REPLICAS: replicas, NATS_STORAGE_GB: gigabytes } = parseConfig(streamVariables, environment);
  return { replicas, ...(gigabytes === undefined ? {} : { storageBytes: gigabytes * 1e9 }) };
};
