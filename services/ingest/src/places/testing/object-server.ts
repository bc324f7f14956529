import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface ServedOptions {
  /** Default: of the bytes. Null: none, and no time either. */
  readonly etag?: string | null;
  /** Default true. */
  readonly hasRanges?: boolean;
  /** Closes the connection after this many bytes of the body. */
  readonly cutAfter?: number;
}

/** Answers with an object as a usual HTTP server does: ranges, `If-Match`, an ETag. */
export const serveObject = (
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
  { etag = etagOf(bytes), hasRanges = true, cutAfter = Infinity }: ServedOptions = {},
): void => {
  const expected = request.headers['if-match'];
  if (expected !== undefined && expected !== etag) return void response.writeHead(412).end();
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const isPart = hasRanges && from !== undefined;
  if (isPart && Number(from) >= bytes.length)
    return void response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
  const start = isPart ? Number(from) : 0;
  const end = isPart && to ? Math.min(Number(to) + 1, bytes.length) : bytes.length;
  const body = bytes.subarray(start, end);
  response.writeHead(isPart ? 206 : 200, {
    'content-length': body.length,
    ...(etag !== null && { etag }),
    ...(isPart && { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` }),
  });
  if (body.length <= cutAfter) return void response.end(body);
  response.write(body.subarray(0, cutAfter), () => response.socket?.resetAndDestroy());
};

const etagOf = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

export interface ObjectServer {
  readonly url: string;
  readonly host: string;
  /** All requests: method, address and range. */
  readonly requests: readonly { readonly url: string; readonly headers: IncomingMessage['headers'] }[];
}

/** Runs work with an HTTP server on a free port. */
export const withServer = async <T>(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  work: (server: ObjectServer) => Promise<T>,
): Promise<T> => {
  const requests: { url: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers });
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const host = `127.0.0.1:${address.port}`;
  try {
    return await work({ url: `http://${host}`, host, requests });
  } finally {
    server.closeAllConnections();
    server.close();
  }
};
