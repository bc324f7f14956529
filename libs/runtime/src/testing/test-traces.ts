import { z } from 'zod';
import { parseConfig, processVariables } from '../config.js';
import { runProcess } from '../process.js';
import { beginSpan, inSpan } from '../tracing.js';
import { runInRequestContext } from '../request-context.js';

/** A test process. For each client in PARENTS it runs TIMES requests of two spans each. */
const schema = z.object({ ...processVariables, TIMES: z.coerce.number().int(), PARENTS: z.string().default('') });

await runProcess({
  name: 'test',
  config: () => parseConfig(schema),
  start: async ({ TIMES: times, PARENTS: parents }, { log }) => {
    setInterval(() => undefined, 60_000);
    const runRequest = async (parent: string): Promise<void> => {
      const spanOptions = { kind: 'server', name: 'asked', attributes: { 'http.route': '/x' } } as const;
      const span = beginSpan(
        () => ({ traceparent: parent, tracestate: 'vendor=1' }),
        () => spanOptions,
      );
      await runInRequestContext({ requestId: parent, span }, async () => {
        log.info('at work');
        const failing = () => Promise.reject(new TypeError('the key sk-1 is wrong'));
        await inSpan(() => ({ kind: 'client', name: 'asks', attributes: {} }), failing).catch(() => undefined);
      });
      span?.end();
    };
    for (let time = 0; time < times; time += 1) for (const parent of parents.split(',')) await runRequest(parent);
  },
});
