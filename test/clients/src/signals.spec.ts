import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Almanac } from '@almanac/client/node';
import { callOf, calls, isPages } from './typescript-driver.js';

describe('every call of the TypeScript client', () => {
  for (const [call, [ids]] of Object.entries(calls)) {
    it(`${call} ends with the signal of the caller`, async () => {
      // Nothing answers there. A call that ignores its signal fails with `connection_failed`.
      const almanac = new Almanac({ baseUrl: 'http://127.0.0.1:1', apiKey: 'ak', maxRetries: 0 });
      const reason = new Error('stopped');
      const args = Object.fromEntries(ids.map((name) => [name, name.endsWith('_ts') ? 1 : 'x']));
      const returned = callOf(almanac, { call, args }, { signal: AbortSignal.abort(reason) });
      await assert.rejects(isPages(returned) ? returned.toArray() : (returned as Promise<unknown>), reason);
    });
  }
});
