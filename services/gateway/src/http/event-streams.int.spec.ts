import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import express from 'express';
import { createEventStreams } from './event-streams.js';

it('a stream without events sends heartbeats, so that its connection stays open', async () => {
  const streams = createEventStreams({ keepAliveMs: 5 });
  const app = express().get('/', (_request, response) => void streams.open(response, 'a', () => undefined));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  let text = '';
  for await (const part of response.body ?? []) {
    text += Buffer.from(part).toString('utf8');
    if (text.split(':\n\n').length > 3) streams.stop();
  }
  assert.match(text, /^retry: 1\d{3}\n\n(:\n\n){3,}$/);
  server.close();
});
