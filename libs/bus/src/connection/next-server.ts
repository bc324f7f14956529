import type { Server } from '@nats-io/transport-node';

/**
 * The server of a cluster that a connection tries next: the one that it has tried least recently. On its own, the client tries
 * the server that it has just left once more. `wanted` is taken if it is not that one.
 */
export const nextServer = (servers: readonly Server[], wanted?: string): Server => {
  const [first] = servers;
  if (first === undefined) throw new Error('a connection has no server');
  const tried = servers.reduce((last, one) => (one.lastConnect > last.lastConnect ? one : last), first);
  const preferred = servers.find(({ listen }) => listen === wanted);
  if (preferred !== undefined && (preferred !== tried || tried.lastConnect === 0)) return preferred;
  return servers.reduce((best, one) => (one.lastConnect < best.lastConnect ? one : best), first);
};
