import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';

/** Finds all addresses of a name, as `dns.lookup` does. */
export type Resolve = (
  hostname: string,
  answer: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/** For one attempt at one name server. With the next attempts, a silent one costs about 6 s. */
const timing = { timeout: 2_000, tries: 2 };

/** By the resolver of the system: with its file of hosts and its search domains. */
export const systemResolve: Resolve = (hostname, answer) => lookup(hostname, { all: true }, answer);

/**
 * By the name servers alone. `dns.lookup` runs on two threads of the process, so two names whose servers never answer would keep
 * everybody's deliveries waiting. A resolver of its own for each look-up: none learns from another's silence that a server is bad.
 */
export const publicResolve =
  (servers?: readonly string[]): Resolve =>
  (hostname, answer) => {
    const resolver = new Resolver(timing);
    if (servers !== undefined) resolver.setServers(servers);
    const families = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
    void Promise.allSettled(families).then((settled) => {
      const found = settled.flatMap((one, index) =>
        one.status === 'fulfilled' ? one.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
      );
      if (found.length > 0) answer(null, found);
      else answer(failureOf(settled), []);
    });
  };

/** A name is missing only if no server failed to say so. */
const failureOf = (settled: readonly PromiseSettledResult<unknown>[]): NodeJS.ErrnoException => {
  const codes = settled.map((one) => (one.status === 'rejected' ? codeOf(one.reason) : 'ENODATA'));
  const other = codes.find((code) => code !== 'ENOTFOUND' && code !== 'ENODATA');
  return Object.assign(new Error('the name has no address'), { code: other ?? 'ENOTFOUND' });
};

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown');
