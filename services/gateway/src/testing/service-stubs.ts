import { randomUUID } from 'node:crypto';
import { type AdminBus, connectBus, ensureStream, publishStored, type Running } from '@almanac/bus';
import { type RpcContext, serveContracts } from '@almanac/bus/server';
import {
  catalogRpc,
  commerceRpc,
  type Contract,
  exportRpc,
  keysRpc,
  streamsRpc,
  timeseriesRpc,
  webhooksRpc,
} from '@almanac/contracts';
import { createLogger, unixMicros } from '@almanac/runtime';
import { type Append, startKeysStub, type StubHandler } from './keys-stub.js';

export const nameOf = ({ service, method }: Contract): string => `${service}.${method}`;

export type ServiceStubs = Awaited<ReturnType<typeof startServiceStubs>>;

const others: readonly Contract[] = [
  ...Object.values(catalogRpc),
  ...Object.values(timeseriesRpc),
  ...Object.values(exportRpc),
  ...Object.values(commerceRpc),
  ...Object.values(webhooksRpc),
  ...Object.values(streamsRpc),
];
const streams = ['EVT_KEYS', 'EVT_COMMERCE', 'EVT_ARCHIVE', 'EVT_CATALOG', 'EVT_EXPORT'] as const;

/** Stubs of every service except the gateway. */
export const startServiceStubs = async (url: string, login: { user: string; password: string; partitions: number }) => {
  const bus = await connectBus({ url, ...login });
  for (const stream of streams) await ensureStream(bus, stream);
  const append = appending(bus);
  const keys = startKeysStub(bus, append);
  const handlers = new Map<string, StubHandler>([
    [nameOf(keysRpc.authenticate), keys.authenticate],
    [nameOf(keysRpc.checkKey), keys.checkKey],
    [nameOf(keysRpc.endSession), keys.endSession],
  ]);
  const calls = new Map<string, number>();
  const handler = (contract: Contract, input: unknown, context: RpcContext): unknown => {
    const name = nameOf(contract);
    calls.set(name, (calls.get(name) ?? 0) + 1);
    const chosen = handlers.get(name);
    if (chosen === undefined) throw new Error(`the test has no answer for ${name}`);
    return chosen(input, context);
  };
  const serving = await serve(bus, others, handler);
  const servingKeys = await serve(bus, Object.values(keysRpc), handler);
  return {
    /** By `nameOf` a contract. May change at any time. */
    handlers,
    /** The connection of the stubs, with all rights. */
    bus,
    keys,
    append,
    publish: (subject: string, value: unknown) => bus.nc.publish(subject, JSON.stringify(value)),
    callsOf: (contract: Contract): number => calls.get(nameOf(contract)) ?? 0,
    stopKeys: () => servingKeys.stop(),
    stop: async (): Promise<void> => {
      keys.stop();
      await Promise.all([serving.stop(), servingKeys.stop()]);
      await bus.close();
    },
  };
};

const appending =
  (bus: AdminBus): Append =>
  async (subject, state, account, type = 'Tested') => {
    const event = { id: randomUUID(), type, version: 1, time: unixMicros(), data: {}, state };
    const data = Buffer.from(JSON.stringify({ ...event, account: account ?? null }));
    return (await publishStored(bus, subject, { data, options: {} })).seq;
  };

/** Serves contracts like a real service. */
const serve = (
  bus: AdminBus,
  contracts: readonly Contract[],
  handler: (contract: Contract, input: unknown, context: RpcContext) => unknown,
): Promise<Running> => {
  // Two services may have methods of the same name.
  const named = Object.fromEntries(contracts.map((contract) => [nameOf(contract), contract]));
  const handlerOf = (contract: Contract) => (input: unknown, context: RpcContext) => handler(contract, input, context);
  const handlers = Object.fromEntries(Object.entries(named).map(([name, contract]) => [name, handlerOf(contract)]));
  return serveContracts(bus, named, handlers, createLogger('edge', 'silent'));
};
