import { z } from 'zod';
import { parseConfig, processVariables, variable } from '../config.js';
import { runProcess } from '../process.js';

/** A test process whose behaviour depends on the variable MODE. */
const schema = z.object({ ...processVariables, MODE: variable.text() });

await runProcess({
  name: 'test',
  config: () => parseConfig(schema),
  start: async ({ MODE: mode }, { health, onStop, log }) => {
    for (const name of ['first', 'second']) {
      onStop(name, async () => {
        log.info(`ended ${name}`);
        if (mode === 'hangs') await new Promise(() => undefined);
        if (mode === 'broken-stop') throw new Error('no end');
      });
    }
    setInterval(() => undefined, 60_000);
    if (mode === 'unwell') health.checks.set('database', () => 'the database is unavailable');
    if (mode === 'fails') throw new Error('the port is taken');
    if (mode === 'waits') {
      const stopRequested = new Promise<never>((_, reject) =>
        onStop('waiting', () => reject(new Error('told to end'))),
      );
      log.info('waiting');
      await stopRequested;
    }
    if (mode === 'rejects') setImmediate(() => void Promise.reject(new Error('forgotten')));
    if (mode === 'throws') {
      setImmediate(() => {
        throw new Error('thrown');
      });
    }
    await Promise.resolve();
  },
});
