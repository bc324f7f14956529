import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withTarget } from './backup/target.js';
import { runCommandLine } from './command-line.js';
import { UsageError } from './error-message.js';

/** No server can have port 0. */
const url = 'nats://127.0.0.1:0';
const sentence = /^The system at nats:\/\/127\.0\.0\.1:0 does not respond \(.+\)\. [^\n]+\.$/;

describe('a command whose NATS is down', () => {
  for (const words of [['partitions', 'move', '--to', '4'], ['status'], ['doctor']]) {
    it(`says so in one sentence: ${words.join(' ')}`, async () => {
      const lines: string[] = [];
      const passwords = { NATS_PASSWORD_CATALOG: 'p', NATS_PASSWORD_TIMESERIES: 'p' };
      const complain = (line: string): void => void lines.push(line);
      const environment = { NATS_URL: url, ...passwords };
      assert.equal(await runCommandLine(words, { environment, print: complain, complain, confirm: null }), 1);
      assert.match(lines.join('\n'), sentence);
    });
  }

  it('says so in one sentence: restore', async () => {
    const options = { connection: { url }, environment: {}, print: () => undefined };
    await assert.rejects(
      withTarget(options, () => Promise.resolve()),
      (error) => error instanceof UsageError && sentence.test(error.message),
    );
  });
});
