import type { RpcContext } from '@almanac/bus';

/** How a service of the test answers one of its methods. */
export type StubHandler = (input: unknown, context: RpcContext) => unknown;

/** Appends an event with this state to a subject and gives its sequence. */
export type Append = (subject: string, state: unknown, account?: string, type?: string) => Promise<number>;
