import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';

/** A bulk answer as far as it came. Node's fetch does not show trailers, so this is a client of node:http. */
export interface BulkAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly trailers: IncomingMessage['trailers'];
  readonly bytes: Buffer;
  readonly sha256: string;
  /** Undefined for an answer that came to its end. */
  readonly error: string | undefined;
}

export interface OpenAnswer {
  readonly response: IncomingMessage;
  /** Reads on to the end, or until the connection breaks. */
  finish(): Promise<BulkAnswer>;
  leave(): void;
}

export const bulkClient = (baseUrl: string, key: string) => {
  const open = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<OpenAnswer> => {
    const outgoing = request(`${baseUrl}/api/v1${path}`, {
      headers: { authorization: `Bearer ${key}`, ...headers },
      agent: false,
    }).end();
    const response = await responseOf(outgoing);
    return { response, finish: () => finish(response), leave: () => outgoing.destroy() };
  };
  return {
    /** Gets the headers of an answer. Nothing of its body is read yet. */
    open,
    send: async (path: string, headers?: Readonly<Record<string, string>>) => (await open(path, headers)).finish(),
    /**
     * Sends HTTP/1.0, as some proxies do. `inTheMiddle` runs after the first bytes, and nothing is read meanwhile. Returns
     * what arrived, and the error that ended the connection.
     */
    sendOld: async (path: string, inTheMiddle: () => Promise<void> = () => Promise.resolve()) => {
      const { hostname, port } = new URL(baseUrl);
      const socket = connect(Number(port), hostname);
      const chunks: Buffer[] = [];
      socket.write(`GET /api/v1${path} HTTP/1.0\r\nHost: almanac\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      let error: string | undefined;
      try {
        for await (const chunk of socket) {
          if (!(chunk instanceof Buffer)) throw new TypeError('a socket has bytes');
          chunks.push(chunk);
          if (chunks.length === 1) await inTheMiddle();
        }
      } catch (cause) {
        error = cause instanceof Error ? cause.message : String(cause);
      }
      return { bytes: Buffer.concat(chunks), error };
    },
  };
};

const responseOf = (outgoing: ReturnType<typeof request>): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    outgoing.once('response', resolve).on('error', reject);
  });

const finish = async (response: IncomingMessage): Promise<BulkAnswer> => {
  const chunks: Buffer[] = [];
  const hash = createHash('sha256');
  let error: string | undefined;
  try {
    for await (const chunk of response) {
      if (!(chunk instanceof Buffer)) throw new TypeError('a body has bytes');
      chunks.push(chunk);
      hash.update(chunk);
    }
  } catch (cause) {
    error = cause instanceof Error ? cause.message : String(cause);
  }
  const { statusCode = 0, headers, trailers } = response;
  return { status: statusCode, headers, trailers, bytes: Buffer.concat(chunks), sha256: hash.digest('hex'), error };
};
