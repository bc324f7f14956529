import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Almanac, AlmanacError, ApiError } from '@almanac/client';
import { z } from 'zod';
import { errorResult } from './tool-errors.js';

const facts = z.object({ code: z.string(), remedy: z.string() });

describe('the error of a tool', () => {
  it('says what an agent can do, and names no option of the client', async () => {
    const remedies: string[] = [];
    for (const options of [{ maxRetries: 0 }, { maxRetries: 9, deadlineMs: 2_000 }]) {
      const almanac = new Almanac({ baseUrl: 'http://127.0.0.1:1', apiKey: 'ak', ...options });
      const failed: unknown = await almanac.plan.get().catch((error: unknown) => error);
      assert.ok(failed instanceof AlmanacError);
      const [content] = errorResult(failed, []).content;
      assert.ok(content?.type === 'text');
      remedies.push(facts.parse(JSON.parse(content.text)).remedy);
    }
    assert.match(remedies[0] ?? '', /^Check that the server runs/);
    assert.match(remedies[1] ?? '', /^Call the tool again later\. Check that the server runs/);
  });

  it('has the pause, the nearest values and the first options of the answer', () => {
    const notice = { code: 'unknown_value', detail: 'd', loc: null };
    const refusal = new ApiError({
      code: 'payment_required',
      detail: 'd',
      remedy: 'r',
      status: 402,
      request_id: 'q',
      retryAfter: 7,
      fields: [],
      notices: [
        { ...notice, nearest: 'BTC' },
        { ...notice, nearest: null },
      ],
      body: { options: Array.from({ length: 12 }, (_, at) => ({ at })) },
    });
    const [content] = errorResult(refusal, ['ticker']).content;
    assert.ok(content?.type === 'text');
    const { options, ...others } = z
      .looseObject({ options: z.array(z.object({ at: z.int() })) })
      .parse(JSON.parse(content.text));
    assert.deepEqual(others, {
      code: 'payment_required',
      detail: 'd',
      remedy: 'r',
      request_id: 'q',
      retry_after_s: 7,
      nearest: ['BTC'],
      valid_keys: ['ticker'],
    });
    assert.deepEqual([options.length, options.at(-1)?.at], [10, 9]);
  });
});
