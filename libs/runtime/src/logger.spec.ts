import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLogger } from './logger.js';

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
});
