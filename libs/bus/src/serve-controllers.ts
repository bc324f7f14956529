import 'reflect-metadata';
import { type InjectionToken, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Bus } from './bus.js';
import type { Running } from './durable-consumer.js';
import { PassErrors, RpcServer } from './rpc-server.js';
import { type CallLog, hooksOf } from './serve-contracts.js';

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
  const strategy = new RpcServer(bus, hooksOf(log));
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
