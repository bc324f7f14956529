import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LocalServerError } from '@almanac/local-servers';
import { userMessageOf } from './error-message.js';

const failing = (code: string, path: string) => Object.assign(new Error(`${code}: …`), { code, path });

describe('an error at the start or stop', () => {
  it('is one sentence with a remedy when a person can fix the cause', () => {
    assert.equal(
      userMessageOf(failing('ENOSPC', 'home/secrets.json')),
      'home/secrets.json cannot be used: the disk is full. Free some space.',
    );
    assert.match(userMessageOf(failing('EACCES', 'home/secrets.json')), /no permission/);
    assert.equal(userMessageOf(new LocalServerError('Port 1 is taken.')), 'Port 1 is taken.');
  });
  it('includes the stack when the cause is a bug', () => {
    assert.match(userMessageOf(new TypeError('x is not a function')), /TypeError: x is not a function\n\s+at /);
  });
});
