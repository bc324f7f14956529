import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { repeatWhileSilent } from './repeat-while-silent.js';

const never = new Promise<string>(() => undefined);

describe('a request that is repeated while the server is silent', () => {
  it('is sent once if it is answered', async () => {
    let sent = 0;
    assert.equal(await repeatWhileSilent(async () => `answer ${(sent += 1)}`), 'answer 1');
    assert.equal(sent, 1);
  });

  it('is sent again after a second, and the first answer to any of them counts', async () => {
    const answers = [never, Promise.resolve('second')];
    assert.equal(await repeatWhileSilent(() => answers.shift() ?? never), 'second');
    const late = Promise.withResolvers<string>();
    const requests = [late.promise];
    const answered = repeatWhileSilent(() => {
      const request = requests.shift();
      if (request === undefined) late.resolve('first');
      return request ?? never;
    });
    assert.equal(await answered, 'first');
  });

  it('fails with the first failure, and leaves no rejection behind', async () => {
    const late = Promise.withResolvers<string>();
    const requests = [late.promise, Promise.reject<string>(new Error('refused'))];
    for (const one of requests) one.catch(() => undefined);
    await assert.rejects(
      repeatWhileSilent(() => requests.shift() ?? never),
      /refused/,
    );
    late.reject(new Error('late'));
    await new Promise(setImmediate);
  });

  it('is sent again at once after a reconnection, and after a failure that passes', async () => {
    const reconnections: (() => void)[] = [];
    const onReconnect = (listener: () => void) => {
      reconnections.push(listener);
      return () => undefined;
    };
    const busy = Promise.reject<string>(new Error('busy'));
    busy.catch(() => undefined);
    const requests = [never, busy, Promise.resolve('third')];
    const isTransient = (error: unknown): boolean => /busy/.test(String(error));
    const answered = repeatWhileSilent(() => requests.shift() ?? never, { onReconnect, isTransient });
    assert.deepEqual([requests.length, reconnections.length], [2, 1]);
    reconnections[0]?.();
    assert.equal(await answered, 'third');
  });
});
