import type { Contract, Contracts, InputOf, OutputOf } from '@almanac/contracts';
import type { RpcContext } from './rpc-context.js';
import type { Reply, StreamReply } from './rpc-reply.js';

type Answer<C extends Contract> = OutputOf<C> | Reply<OutputOf<C>> | StreamReply;

/** Answers one contract. It throws a `DomainError` with a code of the contract. */
export type Handler<C extends Contract> = (input: InputOf<C>, context: RpcContext) => Answer<C> | Promise<Answer<C>>;

/** One handler for each contract, by its name. */
export type Handlers<Served extends Contracts> = { readonly [Name in keyof Served]: Handler<Served[Name]> };

export interface BoundContract {
  readonly contract: Contract;
  readonly handler: (input: unknown, context: RpcContext) => unknown;
}

/** Pairs each contract with its handler. Without a handler, callers would only see that the service does not answer. */
export const bind = <Served extends Contracts>(contracts: Served, handlers: Handlers<Served>): BoundContract[] =>
  Object.entries(contracts).map(([name, contract]) => {
    const handler = (handlers as Partial<Record<string, BoundContract['handler']>>)[name];
    if (handler === undefined) throw new Error(`${contract.service}.${contract.method} has no handler ${name}`);
    return { contract, handler };
  });
