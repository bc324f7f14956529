import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { Answer } from './http.js';

/** How long a client waits before it says that it sends no more: the rest of an unfinished request never comes. */
export interface Patience {
  /** For the first byte of an answer. */
  readonly firstMs: number;
  /** After each byte. */
  readonly silentMs: number;
}

export interface Received {
  readonly bytes: Buffer;
  /** Whether the client lost its patience, after which Node answers nothing more, even within an answer. */
  readonly isGivenUp: boolean;
}

/**
 * Sends bytes on a connection of their own, and returns all that comes back. Rejects when the connection is open after
 * `timeoutMs`. A reset keeps what arrived before it.
 */
export const sendBytes = (
  baseUrl: string,
  bytes: Buffer,
  { firstMs, silentMs, timeoutMs }: Patience & { readonly timeoutMs: number },
): Promise<Received> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(baseUrl);
    const chunks: Buffer[] = [];
    let isGivenUp = false;
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
    const giveUp = (): void => {
      isGivenUp = true;
      socket.end();
    };
    let silence = setTimeout(giveUp, firstMs);
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection is open after ${timeoutMs} ms, with ${Buffer.concat(chunks).length} bytes`));
    }, timeoutMs);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      clearTimeout(silence);
      silence = setTimeout(giveUp, silentMs);
    });
    // After a reset, 'close' follows, and resolves.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(new Error('the gateway is down', { cause: error }));
    });
    socket.on('close', () => {
      clearTimeout(timer);
      clearTimeout(silence);
      resolve({ bytes: Buffer.concat(chunks), isGivenUp });
    });
  });

/** The answers in the bytes of a connection. Throws when they are no HTTP, or the last one is cut. */
export const answersIn = (bytes: Buffer, { isHead }: { readonly isHead: boolean }): Answer[] => {
  const answers: Answer[] = [];
  for (let at = 0; at < bytes.length;) {
    const { answer, end } = answerAt(bytes, at, isHead);
    at = end;
    // 1xx is followed by the answer.
    if (answer.status >= 200) answers.push(answer);
  }
  return answers;
};

const answerAt = (bytes: Buffer, at: number, isHead: boolean): { answer: Answer; end: number } => {
  const headEnd = bytes.indexOf('\r\n\r\n', at);
  assert.ok(headEnd >= 0, `no end of headers: ${bytes.toString('latin1', at, at + 200)}`);
  const [line = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n');
  const [, status] = /^HTTP\/1\.1 (\d{3}) [ -~]+$/.exec(line) ?? assert.fail(`no status line: ${line}`);
  const headers = Object.fromEntries(lines.map(headerOf));
  const head = { status: Number(status), headers };
  const from = headEnd + 4;
  // A request that could not be read is not known to be HEAD.
  const hasNone = isHead && bytes.toString('latin1', from, from + 1) !== '{';
  const hasBody = !hasNone && head.status >= 200 && head.status !== 204 && head.status !== 304;
  if (!hasBody) return { answer: { ...head, bytes: Buffer.alloc(0), ms: 0 }, end: from };
  const { body, end } = bodyAt(bytes, from, headers);
  return { answer: { ...head, bytes: body, ms: 0 }, end };
};

const headerOf = (line: string): [string, string] => {
  const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~\w-]+): ?(.*)$/.exec(line) ?? assert.fail(`no header: ${line}`);
  return [name.toLowerCase(), value];
};

const bodyAt = (
  bytes: Buffer,
  from: number,
  headers: Readonly<Record<string, string>>,
): { body: Buffer; end: number } => {
  if (headers['transfer-encoding'] === 'chunked') return chunkedAt(bytes, from);
  const end = headers['content-length'] === undefined ? bytes.length : from + Number(headers['content-length']);
  assert.ok(end <= bytes.length, 'the body is shorter than its Content-Length');
  return { body: bytes.subarray(from, end), end };
};

const chunkedAt = (bytes: Buffer, from: number): { body: Buffer; end: number } => {
  const chunks: Buffer[] = [];
  for (let at = from; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    assert.ok(lineEnd >= 0, 'the chunks have no end');
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (size === 0) {
      // Trailers end with an empty line too.
      const end = bytes.indexOf('\r\n\r\n', lineEnd);
      assert.ok(end >= 0, 'the trailers have no end');
      return { body: Buffer.concat(chunks), end: end + 4 };
    }
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
    assert.ok(at <= bytes.length, 'a chunk is cut');
  }
};
