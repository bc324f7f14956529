import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Server } from '@nats-io/transport-node';
import { nextServer } from './next-server.js';

const server = (listen: string, lastConnect: number): Server => ({
  hostname: listen,
  port: 4222,
  listen,
  src: listen,
  tlsName: '',
  reconnects: 0,
  lastConnect,
  gossiped: false,
  didConnect: lastConnect > 0,
});

describe('the server that is tried next', () => {
  const never = [server('a', 0), server('b', 0), server('c', 0)];
  const connectedToA = [server('a', 30), server('b', 0), server('c', 10)];

  it('is at first the one of the client, or the wanted one', () => {
    assert.equal(nextServer(never).listen, 'a');
    assert.equal(nextServer(never, 'c').listen, 'c');
    assert.equal(nextServer(never, 'x').listen, 'a');
  });

  it('is never the one that was just left, unless there is no other', () => {
    assert.equal(nextServer(connectedToA).listen, 'b');
    assert.equal(nextServer(connectedToA, 'a').listen, 'b');
    assert.equal(nextServer([server('a', 30)]).listen, 'a');
  });

  it('is the wanted one otherwise', () => {
    assert.equal(nextServer(connectedToA, 'c').listen, 'c');
  });

  it('is each of them in turn while none answers', () => {
    const times = new Map([
      ['a', 30],
      ['b', 0],
      ['c', 10],
    ]);
    const tried: string[] = [];
    for (let now = 31; now < 37; now += 1) {
      const { listen } = nextServer([...times].map(([name, at]) => server(name, at)));
      tried.push(listen);
      times.set(listen, now);
    }
    assert.deepEqual(tried, ['b', 'c', 'a', 'b', 'c', 'a']);
  });
});
