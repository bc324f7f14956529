import { connect } from 'node:net';

const timeoutMs = 1_000;
const answerBytesMax = 65_536;

/** The first line that a server sends on a new connection. Rejects after 1 s of silence. */
export const firstLine = async (port: number): Promise<string> => tcpRequest(port, '', '\n');

/** Sends a text to a port of 127.0.0.1 and resolves with the answer up to `end`. Rejects after 1 s of silence. */
export const tcpRequest = async (port: number, request: string, end: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let response = '';
    const socket = connect({ host: '127.0.0.1', port });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.setEncoding('utf8');
    socket.setTimeout(timeoutMs, () => fail(new NoResponseError(port)));
    socket.on('error', fail);
    socket.on('close', () => reject(new NoResponseError(port)));
    socket.on('connect', () => socket.write(request));
    socket.on('data', (chunk: string) => {
      response += chunk;
      if (response.includes(end) || response.length > answerBytesMax) {
        socket.destroy();
        resolve(response);
      }
    });
  });

/** Not a LocalServerError, so that waiting for the server continues. */
class NoResponseError extends Error {
  constructor(port: number) {
    super(`Port ${port} on 127.0.0.1 did not answer.`);
  }
}
