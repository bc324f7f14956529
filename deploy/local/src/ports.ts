import { once } from 'node:events';
import { createServer } from 'node:net';
import { PortTakenError } from './errors.js';

const attemptsMax = 5;

/** A TCP port of 127.0.0.1 on which nothing listens at this moment. */
export const freePort = async (): Promise<number> => listenOnce(0);

/** Throws a PortTakenError that names the server when something listens on the port already. */
export const requireFreePort = async (port: number, server: string): Promise<void> => {
  try {
    await listenOnce(port);
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE') throw new PortTakenError(port, server, { cause: error });
    throw error;
  }
};

/**
 * Starts a server on the wished port, or on a free one. Between picking a free port and listening on it
 * another process may take it, so a picked port that turns out taken is replaced; a wished one is not.
 */
export const onPort = async <T>(
  wished: number | undefined,
  server: string,
  start: (port: number) => Promise<T>,
): Promise<T> => {
  if (wished !== undefined) {
    await requireFreePort(wished, server);
    return start(wished);
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (!(error instanceof PortTakenError) || attempt === attemptsMax) throw error;
    }
  }
};

const listenOnce = async (port: number): Promise<number> => {
  const server = createServer();
  server.listen({ port, host: '127.0.0.1', exclusive: true });
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new TypeError('A TCP server has no TCP address.');
  return address.port;
};

const errorCode = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
