import 'reflect-metadata';
import type { Contract } from '@almanac/contracts';
import { type InjectionToken, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from './bus.js';
import type { Running } from './durable-consumer.js';
import { PassErrors, RpcServer, type RpcServerHooks } from './rpc-server.js';

export interface CallLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

export interface ServedControllers {
  readonly controllers: Type[];
  readonly providers?: ReadonlyMap<InjectionToken, unknown>;
}

/** Nest requires a class for each module. */
@Module({})
class ControllersModule {}

/** Serves the `@Rpc` methods of these controllers. `stop` stops receiving and finishes running calls. */
export const serveControllers = async (
  bus: Bus,
  { controllers, providers = new Map() }: ServedControllers,
  log: CallLog,
): Promise<Running> => {
  const nameOf = ({ service, method }: Contract): string => `${service}.${method}`;
  const fieldsOf = (err: unknown, contract: Contract, { requestId }: { requestId: string }) => {
    return { err, request_id: requestId, method: nameOf(contract) };
  };
  const hooks: RpcServerHooks = {
    onError: (...about) => log.error(fieldsOf(...about), 'a call failed'),
    onUnavailable: (...about) => log.warn(fieldsOf(...about), 'a call could not be answered'),
    onAnswered: (contract, outcome, ms) =>
      log.debug({ method: nameOf(contract), outcome, ms: Math.round(ms) }, 'a call was answered'),
  };
  const strategy = new RpcServer(bus, hooks);
  const module = {
    module: ControllersModule,
    controllers,
    providers: Array.from(providers, ([provide, useValue]) => ({ provide, useValue })),
  };
  const app = await NestFactory.createMicroservice(module, { strategy, logger: ['error', 'fatal'] });
  app.useGlobalFilters(new PassErrors());
  await app.listen();
  return { stop: () => app.close() };
};
