import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logDestination } from './log-destination.js';
import { createLogger } from './logger.js';
import { processMetrics } from './metrics.js';

describe('the log', () => {
  it('writes one JSON object a line, with service, level and time', () => {
    const lines: string[] = [];
    createLogger('keys', 'info', { write: (line) => void lines.push(line) }).info({ request_id: 'r' }, 'a\nb');
    const [line = ''] = lines;
    const { time, ...rest } = JSON.parse(line) as Record<string, unknown>;
    assert.deepEqual(rest, { level: 'info', service: 'keys', request_id: 'r', msg: 'a\nb' });
    assert.ok(!Number.isNaN(Date.parse(String(time))));
    assert.equal(line.indexOf('\n'), line.length - 1);
  });

  it('redacts secrets, at the top and inside its arguments', () => {
    const lines: string[] = [];
    const log = createLogger('keys', 'info', { write: (line) => void lines.push(line) });
    const names = ['authorization', 'cookie', 'x-api-key', 'secret', 'password', 'token'];
    const secrets = Object.fromEntries(names.map((name) => [name, 'hunter2']));
    log.info({ ...secrets, one: secrets, request: { headers: secrets }, visible: 'yes' }, 'x');
    const refused = Object.assign(new Error('WRONGPASS'), { command: { name: 'auth', args: ['keys', 'hunter2'] } });
    log.warn({ err: refused }, 'x');
    assert.match(lines.join(''), /WRONGPASS/);
    assert.doesNotMatch(lines.join(''), /hunter2/);
    assert.match(lines.join(''), /"visible":"yes"/);
  });

  const dropped = async (): Promise<number> => {
    const [value] = (await processMetrics.getSingleMetric('almanac_log_lines_dropped_total')?.get())?.values ?? [];
    return value?.value ?? 0;
  };

  it('drops and counts lines that cannot be written, and does not throw', async () => {
    const before = await dropped();
    const fd = openSync('/dev/full', 'w');
    const log = createLogger('keys', 'info', logDestination(fd));
    for (let line = 0; line < 3; line += 1) log.info('x');
    assert.equal(await dropped(), before + 3);
    closeSync(fd);
    // A closed descriptor fails too.
    log.info('x');
    assert.equal(await dropped(), before + 4);
  });

  it('writes complete lines', () => {
    const folder = mkdtempSync(join(tmpdir(), 'almanac-log-'));
    const path = join(folder, 'log');
    const fd = openSync(path, 'w');
    const log = createLogger('keys', 'info', logDestination(fd));
    log.info('ä'.repeat(1_000));
    log.info('b');
    closeSync(fd);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
      ['ä'.repeat(1_000), 'b'],
    );
    rmSync(folder, { recursive: true });
  });
});
