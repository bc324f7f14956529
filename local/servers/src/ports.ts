import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { PortTakenError } from './errors.js';

const attemptsMax = 5;

/** Below the ports of outgoing connections (Linux: from 32,768), which took free ones in tests that open thousands. */
const [lowestPort, highestPort] = [12_000, 32_000];
const portsTried = 100;

/**
 * A random TCP port of 127.0.0.1 that is free now. No other caller of this function gets it until this process ends or has
 * 256 others, so a server can be stopped and started again on its port.
 */
export const freePort = async (): Promise<number> => {
  for (let tried = 1; ; tried += 1) {
    const port = randomInt(lowestPort, highestPort);
    try {
      await reserve(port);
      return await listenOnce(port);
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE' || tried === portsTried) throw error;
    }
  }
};

const reserved: Socket[] = [];
/** A program that restarts its services for months must not run out of files. */
const reservedMax = 256;

/** Holds the UDP port of the same number. The kernel gives it back when this process ends, whatever ended it. */
const reserve = async (port: number): Promise<void> => {
  const socket = createSocket('udp4');
  socket.unref().bind({ port, address: '127.0.0.1', exclusive: true });
  await once(socket, 'listening');
  reserved.push(socket);
  if (reserved.length > reservedMax) reserved.shift()?.close();
};

/** Throws a PortTakenError that names the server if something already listens on the port. */
const requireFreePort = async (port: number, server: string): Promise<void> => {
  try {
    await listenOnce(port);
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE') throw new PortTakenError(port, server, { cause: error });
    throw error;
  }
};

/** Starts a server on the requested port, or on a free one. A free port that is taken meanwhile is replaced. */
export const onPort = async <T>(
  requestedPort: number | undefined,
  server: string,
  start: (port: number) => Promise<T>,
): Promise<T> => {
  if (requestedPort !== undefined) {
    await requireFreePort(requestedPort, server);
    return start(requestedPort);
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
