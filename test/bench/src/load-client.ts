import { connect, type Socket } from 'node:net';

/** One whole answer. `body` is not copied: it holds for this call only. */
export interface Answer {
  readonly index: number;
  readonly status: number;
  readonly body: readonly Buffer[];
}

export interface ClientOptions {
  readonly port: number;
  /** The next request and its number; undefined when there is none left. */
  readonly next: () => { readonly index: number; readonly bytes: string } | undefined;
  /** Throws when the answer is not the one that was wanted. */
  readonly onAnswer: (answer: Answer) => void;
}

const headEnd = '\r\n\r\n';

/** Reads answers with a Content-Length, which is what all sides of these benches send. */
const answerReader = (onWhole: (status: number, body: Buffer[]) => void) => {
  let parts: Buffer[] = [];
  let missing = -1;
  let status = 0;
  return (chunk: Buffer): void => {
    if (missing < 0) {
      const seen = parts.length === 0 ? chunk : Buffer.concat([...parts, chunk]);
      const end = seen.indexOf(headEnd);
      if (end < 0) {
        parts = [seen];
        return;
      }
      const head = seen.toString('latin1', 0, end);
      const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
      if (length === undefined) throw new Error(`an answer without a length: ${head}`);
      status = Number(head.slice(9, 12));
      const body = seen.subarray(end + headEnd.length);
      parts = [body];
      missing = Number(length) - body.length;
    } else {
      parts.push(chunk);
      missing -= chunk.length;
    }
    if (missing > 0) return;
    if (missing < 0) throw new Error('an answer is longer than it said');
    const body = parts;
    parts = [];
    missing = -1;
    onWhole(status, body);
  };
};

/**
 * One client that asks, waits for the whole answer, and asks again, on one connection: raw, because a client that does
 * more would take from the two cores what is to be measured.
 */
export const openClient = async ({ port, next, onAnswer }: ClientOptions) => {
  const socket = await opened(port);
  let index = 0;
  const done = Promise.withResolvers<undefined>();
  // Whoever starts it waits for it; a failure before that is no unhandled one.
  done.promise.catch(() => undefined);
  const send = (): void => {
    const request = next();
    if (request === undefined) {
      socket.end();
      done.resolve(undefined);
      return;
    }
    ({ index } = request);
    socket.write(request.bytes);
  };
  const read = answerReader((status, body) => {
    onAnswer({ index, status, body });
    send();
  });
  socket.on('data', (chunk: Buffer) => {
    try {
      read(chunk);
    } catch (error) {
      socket.destroy();
      done.reject(error instanceof Error ? error : new Error(String(error)));
    }
  });
  socket.on('error', (error) => done.reject(error));
  socket.on('close', () => done.reject(new Error('a connection was closed')));
  return {
    run: (): Promise<undefined> => {
      send();
      return done.promise;
    },
  };
};

const opened = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  });
