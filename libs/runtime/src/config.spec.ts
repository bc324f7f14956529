import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { clickhouseVariables, ConfigError, parseConfig, processVariables, variable } from './config.js';

describe('a configuration', () => {
  const schema = z.object({ ...processVariables, ...clickhouseVariables, LIMIT: variable.whole(5) });
  const good = { NATS_USER: 'keys', CLICKHOUSE_URL: 'http://127.0.0.1:1', CLICKHOUSE_USER: 'u' };

  it('uses its defaults, and treats an empty variable as absent', () => {
    const config = parseConfig(schema, { ...good, LIMIT: '', HEALTH_PORT: '', NATS_PASSWORD: '', OTHER: 'x' });
    assert.deepEqual([config.LIMIT, config.HEALTH_PORT, config.HEALTH_HOST], [5, 0, '127.0.0.1']);
    assert.equal(config.NATS_PASSWORD, undefined);
  });

  it('reports all faults at once and shows no value', () => {
    const secret = 'hunter2-';
    const bad = {
      CLICKHOUSE_URL: `${secret}url`,
      LIMIT: `${secret}1`,
      HEALTH_PORT: '70000',
      LOG_LEVEL: `${secret}level`,
    };
    assert.throws(
      () => parseConfig(schema, bad),
      (error) => {
        assert.ok(error instanceof ConfigError);
        for (const name of ['NATS_USER', 'CLICKHOUSE_URL', 'CLICKHOUSE_USER', 'LIMIT', 'HEALTH_PORT', 'LOG_LEVEL']) {
          assert.match(error.message, new RegExp(`^  ${name}: `, 'm'));
        }
        assert.doesNotMatch(error.message, /hunter2|70000/);
        return true;
      },
    );
  });

  it('refuses the earlier name of a variable that the process has, and names the present one', () => {
    const caching = z.object({ CACHE_FROM_REQUEST: variable.whole(2) });
    assert.throws(
      () => parseConfig(caching, { CACHE_FROM_ASK: '3' }),
      /^ {2}CACHE_FROM_ASK: is CACHE_FROM_REQUEST now$/m,
    );
    assert.deepEqual(parseConfig(caching, { MARKETS_KEPT: '3' }), { CACHE_FROM_REQUEST: 2 });
  });

  for (const text of ['-1', '1.5', '1e3', ' 1', '0x10', '99999999999999999999']) {
    it(`refuses ${JSON.stringify(text)} as a whole number`, () => {
      assert.throws(() => parseConfig(schema, { ...good, LIMIT: text }), ConfigError);
    });
  }

  const bounded = z.object({
    NATS_REPLICAS: processVariables.NATS_REPLICAS,
    SIZE_MB: variable.whole(5),
    EVERY_S: variable.timerSeconds(5),
    AGE_DAYS: variable.days(5),
  });
  for (const [name, most, refused] of [
    ['NATS_REPLICAS', '5', ['0', '6']],
    ['SIZE_MB', '2147483647', ['2147483648']],
    ['EVERY_S', '1000000', ['0', '1000001']],
    ['AGE_DAYS', '36500', ['36501']],
  ] as const) {
    it(`takes ${most} as ${name}, and refuses ${refused.join(' and ')} with the range`, () => {
      assert.equal(parseConfig(bounded, { [name]: most })[name], Number(most));
      for (const text of refused) {
        assert.throws(
          () => parseConfig(bounded, { [name]: text }),
          new RegExp(`^  ${name}: must be \\d to ${most}$`, 'm'),
        );
      }
    });
  }
});
