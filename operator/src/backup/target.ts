import type { AdminBus } from '@almanac/bus';
import { connectOperator, type OperatorConnection } from '../operator.js';
import { reached } from '../reached.js';
import { connectStores, type Stores } from './stores.js';

export interface Target {
  readonly bus: AdminBus;
  readonly stores: Stores;
  readonly print: (line: string) => void;
}

export interface TargetOptions {
  readonly connection: OperatorConnection;
  readonly environment: NodeJS.ProcessEnv;
  readonly print: (line: string) => void;
}

export const withTarget = async (
  { connection, environment, print }: TargetOptions,
  work: (target: Target) => Promise<void>,
): Promise<void> => {
  const bus = await reached(connection.url, connectOperator(connection));
  const stores = connectStores(environment);
  try {
    await work({ bus, stores, print });
  } finally {
    await stores.close();
    await bus.close();
  }
};
