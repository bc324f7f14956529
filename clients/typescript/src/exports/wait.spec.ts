import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { ExportError } from '../errors.js';
import { settingsOf } from '../http/settings.js';
import { transportOf } from '../http/transport.js';
import { type Answer, cut, json, refusal, type StubServer, stubServer } from '../testing/stub-server.js';
import { waitForExport } from './wait.js';

const state = (status: string, more: object = {}) => ({ id: 'e-1', status, ...more });
const sendEvents =
  (...states: readonly object[]): Answer =>
  (response) => {
    const events = states.map((data, at) => `event: progress\nid: ${at + 1}\ndata: ${JSON.stringify(data)}\n\n`);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(events.join(''), () => response.destroy());
  };

describe('a wait for an export', () => {
  let server: StubServer;
  afterEach(() => server.close());
  const wait = async (...answers: readonly Answer[]) => {
    server = await stubServer(...answers);
    const seen: string[] = [];
    const transport = transportOf(settingsOf({ apiKey: 'ak', baseUrl: server.url }));
    const { status } = await waitForExport(transport, 'e-1', { onProgress: (each) => seen.push(each.status) });
    const requests = server.requests.map(({ url, headers }) => [url.split('/').at(-1), headers['last-event-id']]);
    return { status, seen, requests };
  };

  it('goes on after a lost stream and while no server answers, from the last event', async () => {
    const away = refusal(503, 'unavailable', { 'Retry-After': '0' });
    assert.deepEqual(await wait(sendEvents(state('pending')), cut, away, sendEvents(state('ready'))), {
      status: 'ready',
      seen: ['pending', 'ready'],
      requests: [
        ['events', undefined],
        ['events', '1'],
        ['events', '1'],
        ['events', '1'],
      ],
    });
  });

  it('polls where the account has too many streams', async () => {
    const { status, requests } = await wait(
      refusal(429, 'too_many_streams', { 'Retry-After': '0' }),
      json(200, state('ready')),
    );
    assert.deepEqual([status, requests.map(([path]) => path)], ['ready', ['events', 'e-1']]);
  });

  it('ends with the reason of an export that failed, and names one that was cancelled', async () => {
    const endedAs = (code: string, text: RegExp) => (error: unknown) =>
      error instanceof ExportError && error.code === code && text.test(error.detail);
    const failed = state('failed', { error: 'The archive is broken.' });
    await assert.rejects(wait(sendEvents(failed)), endedAs('export_failed', /: The archive is broken\.\.$/));
    await server.close();
    await assert.rejects(wait(sendEvents(state('cancelled'))), endedAs('export_cancelled', /was cancelled/));
  });
});
