import { createServer, type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { answerClientError, hasOneHost, refuseHost } from './client-error.js';
import type { OverloadCounter } from './metrics.js';
import { restOfBodies } from './unread-bodies.js';

export interface HttpServer {
  readonly address: AddressInfo | string | null;
  /**
   * Continues to serve for the configured time, with `Connection: close`, so that load balancers that poll /readyz
   * switch over. Then it accepts no more connections and lets running answers end. May be called repeatedly.
   */
  stop(): Promise<void>;
}

export interface ServeOptions {
  readonly HOST: string;
  readonly PORT: number;
  readonly STOP_DELAY_MS: number;
  readonly CONNECTIONS_MAX: number;
  readonly CLIENT_STALL_S: number;
  readonly overload: OverloadCounter;
  readonly headersTimeoutMs?: number;
}

export const serveHttp = async (app: RequestListener, at: ServeOptions): Promise<HttpServer> => {
  let stopping = false;
  const answers = new WeakMap<Socket, ServerResponse>();
  const readRest = restOfBodies();
  const server = createServer(
    // Idle connections live longer than at common load balancers (60 s), so that none closes during a request.
    {
      keepAliveTimeout: 65_000,
      headersTimeout: at.headersTimeoutMs ?? 15_000,
      requestTimeout: 30_000,
      // Node compares with both time-outs only this often.
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 65_536,
      requireHostHeader: false,
    },
    (request, response) => {
      answers.set(request.socket, response);
      readRest(request, response);
      if (stopping) response.setHeader('Connection', 'close');
      request.url = targetWithPath(request.url ?? '');
      if (!hasOneHost(request)) refuseHost(response);
      else app(request, response);
    },
  );
  server.timeout = at.CLIENT_STALL_S * 1_000;
  server.on('timeout', (socket: Socket) => endStalled(socket, answers.get(socket), at.overload));
  server.maxConnections = at.CONNECTIONS_MAX;
  server.on('drop', () => at.overload.inc({ reason: 'connections' }));
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('clientError', answerClientError);
  // An unknown Expect header is ignored. Node would reject it with its own response.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('checkContinue', (request, response) => {
    continueWhenRead(request, response);
    server.emit('request', request, response);
  });
  server.on('connect', (request, socket) => {
    if (!(socket instanceof Socket)) return void socket.destroy();
    // Node no longer handles the errors of this connection, such as a client that leaves.
    socket.on('error', () => socket.destroy());
    const answer = (): void => answerConnect(server, request, socket);
    const before = answers.get(socket);
    // The answers to requests before it on the connection come first.
    if (before === undefined || before.writableFinished) answer();
    else before.once('finish', () => setImmediate(answer));
  });
  await listen(server, at);
  const end = async (): Promise<void> => {
    stopping = true;
    await delay(at.STOP_DELAY_MS);
    await closeServer(server, sockets, performance.now() + finishMsMax - at.STOP_DELAY_MS);
  };
  let ended: Promise<void> | undefined;
  return { address: server.address(), stop: () => (ended ??= end()) };
};

/** Express answers a target without a readable path, such as `example.com:443` or `http://[`, with a page of its own. */
const targetWithPath = (target: string): string =>
  target.startsWith('/') || (/^https?:\/\/[^/]/i.test(target) && URL.canParse(target)) ? target : `/${target}`;

/**
 * Tells the client to send its body when the body is first read, so that a refusal comes before. After a refusal, the
 * connection closes: the client may send the body or not, so nobody knows where its next request begins.
 */
const continueWhenRead = (request: IncomingMessage, response: ServerResponse): void => {
  const { headers } = request;
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return;
  const { shouldKeepAlive } = response;
  response.shouldKeepAlive = false;
  const read = request._read.bind(request);
  request._read = (size) => {
    request._read = read;
    // Node also reads what a handler left, after the answer.
    if (!response.headersSent) {
      response.shouldKeepAlive = shouldKeepAlive;
      tellToContinue(response);
    }
    read(size);
  };
};

/**
 * A response behind another on its connection has no socket yet. Node itself would write `100 Continue` at once, and later
 * put the headers of the response before it, so that it becomes a part of the body.
 */
const tellToContinue = (response: ServerResponse): void => {
  if (response.socket !== null) response.writeContinue();
  else {
    response.once('socket', () => {
      if (!response.headersSent) response.writeContinue();
    });
  }
};

/**
 * CONNECT is a method that no path has. Node gives it no answer of its own: it closes the connection. The connection ends
 * after the answer, since what follows CONNECT is no HTTP.
 */
const answerConnect = (server: Server, request: IncomingMessage, socket: Socket): void => {
  if (!socket.writable) return void socket.destroy();
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.on('finish', () => socket.end());
  // The bytes after the request would keep the connection open.
  socket.resume();
  server.emit('request', request, response);
};

/**
 * Called for a connection on which no byte moved for a while. It stays open while an answer is prepared. A client that
 * does not read its answer is disconnected by a reset, which shows that the answer was cut.
 */
const endStalled = (socket: Socket, answer: ServerResponse | undefined, overload: OverloadCounter): void => {
  if (answer === undefined || answer.writableFinished) socket.destroy();
  else if (socket.writableLength > 0) {
    overload.inc({ reason: 'stalled' });
    socket.resetAndDestroy();
  }
};

const listen = (server: Server, { HOST, PORT }: { HOST: string; PORT: number }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject).listen(PORT, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });

/** Connections that are open this long after the stop began are closed, so that the process ends within its 10 s. */
const finishMsMax = 8_000;

const closeServer = async (server: Server, sockets: ReadonlySet<Socket>, deadline: number): Promise<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  let open = true;
  void closed.then(() => (open = false));
  // A connection becomes idle only after its answer, so this repeats.
  while (open && performance.now() < deadline) {
    server.closeIdleConnections();
    await Promise.race([closed, delay(20)]);
  }
  // A reset shows also a client of HTTP/1.0 that its answer was cut.
  for (const socket of sockets) socket.resetAndDestroy();
  await closed;
};
