import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientOf } from './failed-keys.js';

describe('the client of an address', () => {
  for (const [address, client] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0db8:0001:0002::9', '2001:db8:1:2'],
    ['2001:db8::9', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['', ''],
    [undefined, ''],
  ] as const) {
    it(`of ${address} is ${client}`, () => assert.equal(clientOf(address), client));
  }
});
