import { connect, type Socket } from 'node:net';

/** One complete answer. `body` is not copied and valid during this call only. */
export interface Answer {
  readonly status: number;
  readonly body: readonly Buffer[];
}

export interface Connection {
  /** Sends a request. Send the next one after the answer to this one. */
  send(request: string): void;
  end(): void;
  /** Rejects when the server closes the connection, or when an answer was not the expected one. */
  readonly broken: Promise<never>;
}

const headEnd = '\r\n\r\n';

/** Reads answers with a Content-Length, which all sides of these benches send. */
const answerReader = (onAnswer: (answer: Answer) => void) => {
  let chunks: Buffer[] = [];
  let missing = -1;
  let status = 0;
  return (chunk: Buffer): void => {
    if (missing < 0) {
      const seen = chunks.length === 0 ? chunk : Buffer.concat([...chunks, chunk]);
      const end = seen.indexOf(headEnd);
      if (end < 0) {
        chunks = [seen];
        return;
      }
      const head = seen.toString('latin1', 0, end);
      const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
      if (length === undefined) throw new Error(`an answer without a length: ${head}`);
      status = Number(head.slice(9, 12));
      const body = seen.subarray(end + headEnd.length);
      chunks = [body];
      missing = Number(length) - body.length;
    } else {
      chunks.push(chunk);
      missing -= chunk.length;
    }
    if (missing > 0) return;
    if (missing < 0) throw new Error('an answer is longer than it said');
    const body = chunks;
    chunks = [];
    missing = -1;
    onAnswer({ status, body });
  };
};

/**
 * One connection that sends raw requests one after the other: a full client would take CPU time from the measured side.
 * An error from `onAnswer` breaks it.
 */
export const openConnection = async (port: number, onAnswer: (answer: Answer) => void): Promise<Connection> => {
  const socket = await opened(port);
  const broken = Promise.withResolvers<never>();
  // Callers await it later, so an earlier failure is no unhandled rejection.
  broken.promise.catch(() => undefined);
  const read = answerReader(onAnswer);
  socket.on('data', (chunk: Buffer) => {
    try {
      read(chunk);
    } catch (error) {
      socket.destroy();
      broken.reject(error instanceof Error ? error : new Error(String(error)));
    }
  });
  socket.on('error', (error) => broken.reject(error));
  socket.on('close', () => broken.reject(new Error('a connection was closed')));
  return {
    send: (request) => void socket.write(request),
    end: () => void socket.end(),
    broken: broken.promise,
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
