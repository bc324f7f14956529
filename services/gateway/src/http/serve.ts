import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { answerClientError, lacksHost, refuseHostless } from './client-error.js';

export interface HttpServer {
  readonly address: AddressInfo | string | null;
  /**
   * Goes on serving for the configured time, each answer the last of its connection, so that load balancers that ask
   * /readyz look elsewhere; then takes no more connections and lets the answers that are under way end. May be called
   * again.
   */
  stop(): Promise<void>;
}

/** Listens; rejects when it cannot. */
export const serveHttp = async (
  app: RequestListener,
  at: { HOST: string; PORT: number; STOP_DELAY_MS: number },
): Promise<HttpServer> => {
  let stopping = false;
  const server = createServer(
    // Idle connections outlive those of the usual load balancers (60 s), so that none closes under a request.
    {
      keepAliveTimeout: 65_000,
      headersTimeout: 15_000,
      requestTimeout: 30_000,
      maxHeaderSize: 65_536,
      requireHostHeader: false,
    },
    (request, response) => {
      if (stopping) response.setHeader('Connection', 'close');
      if (lacksHost(request)) refuseHostless(response);
      else app(request, response);
    },
  );
  server.on('clientError', answerClientError);
  // An expectation that nobody knows is none; Node would refuse it in a shape of its own.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  await listen(server, at);
  const end = async (): Promise<void> => {
    stopping = true;
    await delay(at.STOP_DELAY_MS);
    await closeServer(server, performance.now() + finishMsMax - at.STOP_DELAY_MS);
  };
  let ended: Promise<void> | undefined;
  return { address: server.address(), stop: () => (ended ??= end()) };
};

const listen = (server: Server, { HOST, PORT }: { HOST: string; PORT: number }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject).listen(PORT, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** What is left so long after the stop began is cut off, in time for the process to end within its 10 s. */
const finishMsMax = 8_000;

const closeServer = async (server: Server, deadline: number): Promise<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  let open = true;
  void closed.then(() => (open = false));
  // A kept connection becomes idle only when its answer ended, so it is looked at again and again.
  while (open && performance.now() < deadline) {
    server.closeIdleConnections();
    await Promise.race([closed, delay(20)]);
  }
  server.closeAllConnections();
  await closed;
};
