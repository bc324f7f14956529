import { type IncomingMessage, request } from 'node:http';
import { streamOf } from '../../http/streams.js';
import { type Connection, openConnection } from './connection.js';

const ownFetch = globalThis.fetch;

/**
 * A `fetch` for large files, which needs half of its processor time. What is not simply a file, such as a redirect, a proxy or a
 * server that cannot be reached, is the work of `fetch` itself.
 */
export const fileFetch: typeof fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const answer = isReplaced() ? undefined : await answerOf(url, init ?? {});
  return answer ?? globalThis.fetch(input, init);
};

/** A program replaces `fetch` or its dispatcher for proxies, certificates or tests. */
const isReplaced = (): boolean => {
  const isDispatcher = (symbol: symbol): boolean => symbol.description?.startsWith('undici.globalDispatcher') === true;
  const dispatchers = Object.getOwnPropertySymbols(globalThis).filter(isDispatcher);
  const isOwn = (symbol: symbol): boolean =>
    (globalThis as { [key: symbol]: object | undefined })[symbol]?.constructor.name === 'Agent';
  return globalThis.fetch !== ownFetch || !dispatchers.every(isOwn);
};

const answerOf = async (url: URL, { headers, signal }: RequestInit): Promise<Response | undefined> => {
  signal?.throwIfAborted();
  const connection = openConnection(url);
  const abort = (): void => connection.close(new Error('The request was aborted.'));
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const answer = await headOf(connection, url, headers as Record<string, string>);
    const response = responseOf(connection, answer, url);
    if (response === undefined) connection.close();
    return response;
  } catch (error) {
    signal?.throwIfAborted();
    if (connection.isOpen()) throw error;
    return undefined;
  }
};

const headOf = (
  { stream }: Connection,
  url: URL,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const path = `${url.pathname}${url.search}`;
    const all = { ...headers, Accept: '*/*', Host: url.host };
    request({ path, headers: all, createConnection: () => stream })
      .once('response', resolve)
      // After the head, whoever reads the body gets the error.
      .on('error', reject)
      .end();
  });

/** Undefined if `fetch` has to do more than to read. */
const responseOf = (connection: Connection, answer: IncomingMessage, url: URL): Response | undefined => {
  const { statusCode: status = 0, headers } = answer;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (status < 200 || (status >= 300 && status < 400) || encoding !== 'identity') return undefined;
  const pieces = headers['content-length'] === undefined ? readAnswer(answer) : readBlocks(connection, answer);
  const body = [204, 205].includes(status) ? null : streamOf(() => pieces);
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return Object.defineProperty(new Response(body, { status, headers: pairs }), 'url', { value: url.href });
};

const readAnswer = async function* (answer: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of answer) yield piece as Uint8Array;
};

/** Takes the connection from the HTTP client at once, before more than the first piece has arrived. */
const readBlocks = (connection: Connection, answer: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> => {
  // The HTTP client misses the rest of the answer. The blocks report what goes wrong.
  answer.on('error', () => undefined);
  const first = (answer.read() as Uint8Array | null) ?? new Uint8Array();
  const blocks = connection.readBlocks(Number(answer.headers['content-length']) - first.length);
  return (async function* () {
    try {
      if (first.length > 0) yield first;
      for (let piece = await blocks.next(); piece !== undefined; piece = await blocks.next()) yield piece;
    } finally {
      connection.close();
    }
  })();
};
