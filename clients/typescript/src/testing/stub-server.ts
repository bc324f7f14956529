import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
export type Answer = (response: ServerResponse, request: SentRequest) => void;

export interface StubServer {
  readonly url: string;
  readonly requests: readonly SentRequest[];
  close(): Promise<void>;
}

/** A server that is not ours, or ours behind a bad network. Answers in turn, and then always with the last one. */
export const stubServer = async (...answers: readonly Answer[]): Promise<StubServer> => {
  const requests: SentRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const sent = { method, url, headers, body: Buffer.concat(chunks).toString() };
      requests.push(sent);
      answers[Math.min(requests.length, answers.length) - 1]?.(response, sent);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

export const json =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

export const refusal = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  json(status, { detail: 'A sentence.', code, request_id: 'r-1' }, headers);

export const cut: Answer = (response) => response.destroy();
