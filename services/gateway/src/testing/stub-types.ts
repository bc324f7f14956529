import type { RpcContext } from '@almanac/bus/server';

/** The answer of a stub to one of its methods. */
export type StubHandler = (input: unknown, context: RpcContext) => unknown;

/** Appends an event with this state to a subject and returns its sequence. */
export type Append = (subject: string, state: unknown, account?: string, type?: string) => Promise<number>;
