import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Almanac, AlmanacError } from '@almanac/client';
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
      const [content] = errorResult(failed).content;
      assert.ok(content?.type === 'text');
      remedies.push(facts.parse(JSON.parse(content.text)).remedy);
    }
    assert.match(remedies[0] ?? '', /^Check that the server runs/);
    assert.match(remedies[1] ?? '', /^Call the tool again later\. Check that the server runs/);
  });
});
