import 'reflect-metadata';
import { type Contract, type Contracts, serviceContracts, type ServiceName, streamsRpc } from '@almanac/contracts';
import { Controller, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { Bus, Running } from '../bus.js';
import { bind, type BoundContract, type Handlers } from './handlers.js';
import { subjects } from '../names.js';
import type { RpcContext } from './rpc-context.js';
import { PassErrors, RpcServer, type RpcServerHooks } from './rpc-server.js';
import { ownStreamsStatus } from '../operator/streams-status.js';

export interface CallLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

/** Answers all contracts of a service, and `streamsRpc` for its streams. `stop` finishes running calls. */
export const serveService = <Service extends ServiceName>(
  bus: Bus,
  service: Service,
  handlers: Handlers<(typeof serviceContracts)[Service]>,
  log: CallLog,
): Promise<Running> => {
  const streams: (typeof streamsRpc)[ServiceName] = streamsRpc[service];
  const bound = bind({ streams }, { streams: () => ownStreamsStatus(bus) });
  return serve(bus, [...bind(serviceContracts[service], handlers), ...bound], log);
};

/** Answers any contracts. `stop` stops receiving and finishes running calls. */
export const serveContracts = <Served extends Contracts>(
  bus: Bus,
  contracts: Served,
  handlers: Handlers<Served>,
  log: CallLog,
): Promise<Running> => serve(bus, bind(contracts, handlers), log);

const serve = async (bus: Bus, bound: readonly BoundContract[], log: CallLog): Promise<Running> => {
  const strategy = new RpcServer(bus, hooksOf(log));
  const module = { module: ServiceModule, controllers: [controllerOf(bound)] };
  const app = await NestFactory.createMicroservice(module, { strategy, logger: ['error', 'fatal'] });
  app.useGlobalFilters(new PassErrors());
  await app.listen();
  return { stop: () => app.close() };
};

/** Nest requires a class for each module. */
@Module({})
class ServiceModule {}

/** Nest finds handlers, and applies its filters, by the methods of a class. */
const controllerOf = (bound: readonly BoundContract[]): Type => {
  @Controller()
  class ServiceController {}
  for (const { contract, handler } of bound) {
    const subject = subjects.rpc(contract);
    // Nest stores its metadata at the function, and a handler may answer several contracts.
    const value = (input: unknown, context: RpcContext): unknown => handler(input, context);
    const descriptor = { value, configurable: true };
    Object.defineProperty(ServiceController.prototype, subject, descriptor);
    // Nest passes only the input unless each parameter is marked.
    Payload()(ServiceController.prototype, subject, 0);
    Ctx()(ServiceController.prototype, subject, 1);
    MessagePattern(subject, { contract })(ServiceController.prototype, subject, descriptor);
  }
  return ServiceController;
};

const hooksOf = (log: CallLog): RpcServerHooks => {
  const nameOf = ({ service, method }: Contract): string => `${service}.${method}`;
  const fieldsOf = (err: unknown, contract: Contract, { requestId }: { requestId: string }) => {
    return { err, request_id: requestId, method: nameOf(contract) };
  };
  return {
    onError: (...about) => log.error(fieldsOf(...about), 'a call failed'),
    onUnavailable: (...about) => log.warn(fieldsOf(...about), 'a call could not be answered'),
    onUndeclared: (...about) => log.error(fieldsOf(...about), 'a call failed with an error that its contract lacks'),
    onAnswered: (contract, outcome, ms) =>
      log.debug({ method: nameOf(contract), outcome, ms: Math.round(ms) }, 'a call was answered'),
  };
};
