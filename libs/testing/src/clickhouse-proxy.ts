import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface ProxiedRequest {
  readonly method: string;
  /** Path and query, where the client writes its settings. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Sends a request to a server and its answer to the client. */
export type Forward = (target: string, changed?: Partial<ProxiedRequest>) => Promise<void>;

export interface ClickHouseProxy {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** An HTTP server that gets ClickHouse's requests and forwards them, changed or to another server. */
export const clickHouseProxy = async (
  handle: (proxied: ProxiedRequest, forward: Forward, response: ServerResponse) => Promise<void>,
  requestedPort = 0,
): Promise<ClickHouseProxy> => {
  const server = createServer({ keepAliveTimeout: 30_000, requestTimeout: 0 });
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    void (async () => {
      const { method = 'GET', url = '/', headers } = incoming;
      const proxied = { method, url, headers, body: await buffer(incoming) };
      await handle(proxied, (target, changed) => send(target, { ...proxied, ...changed }, response), response);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(requestedPort, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const send = (
  target: string,
  { method, url, headers, body }: ProxiedRequest,
  response: ServerResponse,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const { 'transfer-encoding': _, ...rest } = headers;
    const outgoing = request(new URL(url, target), {
      method,
      headers: { ...rest, 'content-length': String(body.length) },
    });
    response.once('close', () => outgoing.destroy());
    outgoing.once('error', reject);
    outgoing.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.once('error', reject).pipe(response).once('finish', resolve).once('error', reject);
    });
    outgoing.end(body);
  });
