import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ServerSentEvent, serverSentEvents } from './server-sent-events.js';

const read = async (pieces: readonly Uint8Array[]): Promise<ServerSentEvent[]> => {
  const source = async function* () {
    yield* pieces;
  };
  const events: ServerSentEvent[] = [];
  for await (const event of serverSentEvents(source())) events.push(event);
  return events;
};

const text =
  'retry: 1798\n\n: comment\n\nevent: progress\ndata: {"a":"é"}\n\nevent: ready\r\nid: 2\r\ndata: one\r\ndata:two\r\n\r\n';
const expected = [
  { event: 'progress', data: '{"a":"é"}', id: undefined },
  { event: 'ready', data: 'one\ntwo', id: '2' },
];

describe('server-sent events', () => {
  it('are the same wherever the network splits them', async () => {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at <= bytes.length; at += 1) {
      assert.deepEqual(await read([bytes.subarray(0, at), bytes.subarray(at)]), expected, `split at ${at}`);
    }
  });

  it('leave out an event that was cut off', async () => {
    assert.deepEqual(await read([new TextEncoder().encode('event: ready\ndata: half\n')]), []);
  });
});
