import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { seededRandom, testTls } from '@almanac/testing';
import { connectionError } from '../../http/connection-errors.js';
import { type Answer, cut, json, stubServer, type StubServer } from '../../testing/stub-server.js';
import { fileFetch } from './file-fetch.js';

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Several blocks. No two of its parts are the same. */
const file = Buffer.alloc(3_000_017);
for (let at = 0; at + 4 <= file.length; at += 4) file.writeUInt32LE(at, at);

const sendFile: Answer = (response) => {
  response.writeHead(200, { 'Content-Length': file.length, ETag: '"abc"' }).end(file);
};

/** What a client of `fetch` sees: the answer, or the code of the error that the SDK makes of it. */
const outcomeOf = async (send: typeof fetch, url: string, init: RequestInit = {}) => {
  try {
    const response = await send(url, init);
    const digest = createHash('sha256');
    let bytes = 0;
    for (const reader = response.body?.getReader(); ;) {
      const piece = await reader?.read();
      if (piece?.value === undefined) break;
      digest.update(piece.value);
      bytes += piece.value.length;
    }
    return {
      status: response.status,
      url: response.url,
      type: response.headers.get('etag'),
      bytes,
      sha256: digest.digest('hex'),
    };
  } catch (error) {
    const { code, isTransient } = connectionError(error, url);
    return { code, isTransient };
  }
};

describe('a fetch for files', () => {
  const closing: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  const serve = async (...answers: Answer[]): Promise<StubServer> => {
    const server = await stubServer(...answers);
    closing.push(() => server.close());
    return server;
  };
  /** `fetch` names its client. A connection of our own has no name. */
  const isOwn = ({ requests }: StubServer, at: number): boolean => requests[at]?.headers['user-agent'] === undefined;

  it('reads the same bytes as fetch, on a connection of its own', async () => {
    const server = await serve(sendFile);
    const init = { headers: { Authorization: 'Bearer ak', Range: 'bytes=0-' } };
    const found = await outcomeOf(fileFetch, server.url, init);
    assert.deepEqual(found, await outcomeOf(fetch, server.url, init));
    assert.equal('sha256' in found && found.sha256, sha256Of(file));
    assert.deepEqual([isOwn(server, 0), isOwn(server, 1)], [true, false]);
    assert.equal(server.requests[0]?.headers.authorization, 'Bearer ak');
    assert.equal(server.requests[0]?.headers.range, 'bytes=0-');
  });

  it('reads the same bytes wherever the network splits them', async () => {
    const random = seededRandom(11);
    const inPieces: Answer = (response) => {
      response.writeHead(206, { 'Content-Length': file.length });
      const send = (at: number): void => {
        if (at >= file.length) return void response.end();
        const end = at + 1 + Math.floor(random() * 300_000);
        response.write(file.subarray(at, end), () => send(end));
      };
      send(0);
    };
    const server = await serve(inPieces);
    for (let run = 0; run < 5; run += 1) {
      assert.deepEqual(await outcomeOf(fileFetch, server.url), await outcomeOf(fetch, server.url));
    }
  });

  const alike: Readonly<Record<string, Answer>> = {
    'an empty file': (response) => response.writeHead(200, { 'Content-Length': 0 }).end(),
    'no content': (response) => response.writeHead(204).end(),
    'an answer in chunks, without a length': (response) => response.writeHead(200).end(file.subarray(0, 70_000)),
    'a compressed answer': (response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(file.subarray(0, 9_000))),
    'a refusal': json(404, { code: 'export_not_found', detail: 'A sentence.' }),
    'a connection that is cut before the answer': cut,
    'a file that is cut off': (response) => {
      response.writeHead(200, { 'Content-Length': file.length });
      response.write(file.subarray(0, 900_000), () => response.destroy());
    },
    'a redirect to nowhere': (response) => response.writeHead(302).end(),
  };
  for (const [what, answer] of Object.entries(alike)) {
    it(`answers as fetch does to ${what}`, async () => {
      const server = await serve(answer);
      assert.deepEqual(await outcomeOf(fileFetch, server.url), await outcomeOf(fetch, server.url));
    });
  }

  it('follows a redirect, without the key for another server', async () => {
    const other = await serve(sendFile);
    const server = await serve((response) => response.writeHead(307, { Location: `${other.url}/file` }).end());
    const found = await outcomeOf(fileFetch, server.url, { headers: { Authorization: 'Bearer ak' } });
    assert.equal('sha256' in found && found.sha256, sha256Of(file));
    assert.deepEqual(
      other.requests.map(({ headers }) => headers.authorization),
      [undefined],
    );
  });

  it('passes on what has arrived although no more follows', async () => {
    let arrived = (): void => undefined;
    const server = await serve((response: ServerResponse) => {
      response.writeHead(200, { 'Content-Length': 30 }).write('0123456789');
      arrived = () => {
        response.write('0123456789');
        arrived = () => void response.end('0123456789');
      };
    });
    const reader = (await fileFetch(server.url)).body?.getReader() ?? assert.fail('there is no body');
    let text = '';
    for (let piece = await reader.read(); piece.value !== undefined; piece = await reader.read()) {
      text += Buffer.from(piece.value).toString();
      if (text.length % 10 === 0) arrived();
    }
    assert.equal(text, '0123456789'.repeat(3));
  });

  it('ends with its signal, and closes the connection', async () => {
    const reason = new Error('stopped');
    const controllers = [new AbortController(), new AbortController()] as const;
    let [closed, abortAtServer] = [(): void => undefined, (): void => controllers[0].abort(reason)];
    const server = await serve((response) => {
      response.once('close', () => closed());
      abortAtServer();
      response.writeHead(200, { 'Content-Length': 9 }).write('1');
    });
    const closes = () => new Promise<void>((resolve) => (closed = resolve));
    const [before, beforeHead] = [closes(), fileFetch(server.url, { signal: controllers[0].signal })];
    await assert.rejects(beforeHead, reason);
    await before;
    abortAtServer = () => undefined;
    const after = closes();
    const reader = (await fileFetch(server.url, { signal: controllers[1].signal })).body?.getReader();
    await reader?.read();
    controllers[1].abort(reason);
    await assert.rejects(reader?.read() ?? assert.fail('there is no body'));
    await after;
    await assert.rejects(fileFetch(server.url, { signal: AbortSignal.abort(reason) }), reason);
    assert.equal(server.requests.length, 2);
  });

  it('leaves a server that cannot be reached, or speaks another protocol, to the errors of fetch', async () => {
    const closed = await stubServer(sendFile);
    await closed.close();
    assert.deepEqual(await outcomeOf(fileFetch, closed.url), { code: 'connection_failed', isTransient: true });
    const foreign = createServer((socket) => {
      socket.on('error', () => undefined).end('220 mail.example ESMTP\r\n');
    }).listen(0, '127.0.0.1');
    await once(foreign, 'listening');
    closing.push(() => void foreign.close());
    const url = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
    assert.deepEqual(await outcomeOf(fileFetch, url), { code: 'not_almanac', isTransient: false });
  });

  it('is fetch itself where a program has replaced it', async () => {
    const own = globalThis.fetch;
    globalThis.fetch = async () => new Response('replaced');
    try {
      assert.equal(await (await fileFetch('http://127.0.0.1:9')).text(), 'replaced');
    } finally {
      globalThis.fetch = own;
    }
  });

  it('is fetch itself where a program has set a dispatcher, such as a proxy', async () => {
    const server = await serve(sendFile);
    await (await fetch(server.url)).arrayBuffer();
    const held = globalThis as { [key: symbol]: object | undefined };
    const symbols = Object.getOwnPropertySymbols(globalThis).filter(
      ({ description }) => description?.startsWith('undici.globalDispatcher') === true,
    );
    const own = symbols.map((symbol) => held[symbol]);
    class ProxyAgent {
      dispatch(): never {
        throw new Error('sent to the proxy');
      }
    }
    try {
      for (const symbol of symbols) held[symbol] = new ProxyAgent();
      await assert.rejects(fileFetch(server.url), (error: Error) => /to the proxy/.test(String(error.cause)));
    } finally {
      for (const [at, symbol] of symbols.entries()) held[symbol] = own[at];
    }
    assert.equal(server.requests.length, 1);
    assert.ok(symbols.length > 0);
  });

  it('reads over TLS, and only from a server whose certificate is trusted', async () => {
    const [key, cert] = await Promise.all([readFile(testTls.key), readFile(testTls.certificate)]);
    const agents: (string | undefined)[] = [];
    const server = createTlsServer({ key, cert }, (request, response) => {
      agents.push(request.headers['user-agent']);
      response.writeHead(200, { 'Content-Length': file.length }).end(file);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => {
      server.close();
      server.closeAllConnections();
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    assert.deepEqual(await outcomeOf(fileFetch, url), { code: 'certificate_refused', isTransient: false });
    const program = `
      import { createHash } from 'node:crypto';
      import { fileFetch } from ${JSON.stringify(new URL('./file-fetch.js', import.meta.url).href)};
      const digest = createHash('sha256');
      const reader = (await fileFetch(process.argv[1])).body.getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) digest.update(piece.value);
      console.log(digest.digest('hex'));
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, url], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: testTls.authority },
    });
    assert.equal(stdout.trim(), sha256Of(file));
    assert.deepEqual(agents, [undefined]);
  });
});
