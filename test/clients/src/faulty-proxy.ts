import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** What happens to one request on its way. */
export type Fault =
  | { readonly kind: 'none' }
  /** The server handles the request, and the connection ends after this many bytes of the body. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** No more than so many bytes of the body arrive, until the client gives up. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  /** The byte at this place of the body arrives changed. */
  | { readonly kind: 'damage'; readonly at: number }
  /** The server does not get the request. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: object; readonly retryAfterS: number };

export interface PassedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

/** A network between a client and the gateway that a test can break. */
export interface FaultyProxy {
  readonly url: string;
  readonly requests: readonly PassedRequest[];
  /** Decides about each request. */
  use(faultOf: (passed: PassedRequest) => Fault): void;
  /** Passes everything on, and forgets the requests. */
  reset(): void;
  stop(): Promise<void>;
}

const none: Fault = { kind: 'none' };

export const faultyProxy = async (target: string): Promise<FaultyProxy> => {
  const requests: PassedRequest[] = [];
  let faultOf: (passed: PassedRequest) => Fault = () => none;
  const server = createServer((incoming, response) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const passed = { method, url, headers };
    requests.push(passed);
    // A broken connection is the purpose of this server.
    pass(incoming, response, { target, fault: faultOf(passed) }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    use: (next) => {
      faultOf = next;
    },
    reset: () => {
      faultOf = () => none;
      requests.length = 0;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const pass = async (
  incoming: IncomingMessage,
  response: ServerResponse,
  { target, fault }: { readonly target: string; readonly fault: Fault },
): Promise<void> => {
  if (fault.kind === 'answer') {
    const headers = { 'Content-Type': 'application/json', 'Retry-After': String(fault.retryAfterS) };
    response.writeHead(fault.status, headers).end(JSON.stringify(fault.body));
    return;
  }
  const upstream = await new Promise<IncomingMessage>((resolve, reject) => {
    const { method, headers, url = '/' } = incoming;
    const outgoing = request(new URL(url, target), { method: method ?? 'GET', headers });
    outgoing.once('response', resolve).once('error', reject);
    response.once('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  response.writeHead(upstream.statusCode ?? 502, upstream.headers);
  response.flushHeaders();
  await pipeline(changed(upstream, response, fault), response);
};

async function* changed(
  body: AsyncIterable<Buffer>,
  response: ServerResponse,
  fault: Fault,
): AsyncGenerator<Buffer, void, undefined> {
  let done = 0;
  for await (const piece of body) {
    if (fault.kind === 'cut' && done + piece.length > fault.afterBytes) {
      response.write(piece.subarray(0, fault.afterBytes - done), () => response.destroy());
      return;
    }
    if (fault.kind === 'stall' && done + piece.length > fault.afterBytes) {
      yield piece.subarray(0, fault.afterBytes - done);
      await once(response, 'close');
      return;
    }
    if (fault.kind === 'damage' && fault.at >= done && fault.at < done + piece.length) {
      const at = fault.at - done;
      piece[at] = (piece[at] ?? 0) ^ 1;
    }
    done += piece.length;
    yield piece;
  }
  if (fault.kind === 'cut') response.destroy();
}
