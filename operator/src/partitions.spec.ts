import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCommandLine } from './command-line.js';
import { streamLimitsIn } from './partitions.js';

describe('the streams that a command makes', () => {
  it('have the copies and the storage of the environment, by default one copy without a limit', () => {
    assert.deepEqual(streamLimitsIn({ NATS_REPLICAS: '', NATS_STORAGE_GB: '' }), { replicas: 1 });
    assert.deepEqual(streamLimitsIn({ NATS_REPLICAS: '3', NATS_STORAGE_GB: '20' }), {
      replicas: 3,
      storageBytes: 2e10,
    });
  });

  for (const [name, text] of [
    ['NATS_REPLICAS', 'three'],
    ['NATS_REPLICAS', '0'],
    ['NATS_STORAGE_GB', '20GB'],
    ['NATS_STORAGE_GB', '-1'],
  ] as const) {
    it(`are not made with ${name}=${text}, which the command names`, async () => {
      const lines: string[] = [];
      const passwords = { NATS_PASSWORD_CATALOG: 'p', NATS_PASSWORD_TIMESERIES: 'p' };
      const code = await runCommandLine(['partitions', 'move', '--to', '4'], {
        environment: { NATS_URL: 'nats://127.0.0.1:1', ...passwords, [name]: text },
        print: (line) => lines.push(line),
        complain: (line) => lines.push(line),
        confirm: null,
      });
      assert.equal(code, 1, lines.join('\n'));
      assert.match(lines.join('\n'), new RegExp(`^  ${name}: must be `, 'm'));
    });
  }
});
