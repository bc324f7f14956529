import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';

export interface FakeVenueOptions extends Pick<ServerOptions, 'autoPong' | 'verifyClient'> {
  readonly onRequest?: RequestListener;
  readonly onSocket?: (socket: WebSocket, headers: IncomingHttpHeaders) => void;
  readonly onMessage?: (socket: WebSocket, text: string) => void;
}

export interface FakeVenue {
  readonly url: (scheme: 'ws' | 'http', path?: string) => string;
  readonly close: () => void;
}

/** The HTTP and WebSocket server of a fake venue on a free port. */
export const fakeVenue = async ({
  onRequest,
  onSocket,
  onMessage,
  ...options
}: FakeVenueOptions): Promise<FakeVenue> => {
  const server = createServer(onRequest ?? ((_, response) => response.writeHead(404).end()));
  const sockets = new WebSocketServer({ ...options, server });
  sockets.on('connection', (socket, request) => {
    onSocket?.(socket, request.headers);
    socket.on('message', (data: Buffer) => onMessage?.(socket, data.toString('utf8')));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the venue does not listen');
  return {
    url: (scheme, path = '') => `${scheme}://127.0.0.1:${address.port}${path}`,
    close: () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
    },
  };
};
