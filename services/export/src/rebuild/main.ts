import { busOptions, connectBus } from '@almanac/bus';
import { runRebuild } from '@almanac/clickhouse';
import { rebuildList } from './rebuild-list.js';

const model = 'The list of exports';

/** Rebuilds the table of exports from its events. */
await runRebuild({
  model,
  natsUser: 'export',
  statementMsMax: 600_000,
  stopped: [`${model} could not be rebuilt: the rebuild was stopped, and the list is unchanged`, 1],
  rebuild: async (config, clickhouse, signal) => {
    const bus = await connectBus(busOptions(config));
    try {
      const startedAt = performance.now();
      const onUnreadable = (error: unknown, { subject, seq }: { subject: string; seq: number }): void =>
        void process.stderr.write(`Skipped an unreadable event: ${subject}, ${seq}: ${String(error)}\n`);
      const events = await rebuildList({ bus, clickhouse, signal, onUnreadable });
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      return `Rebuilt the list of exports from ${events.toLocaleString('en-US')} events in ${seconds} s.`;
    } finally {
      await bus.close();
    }
  },
});
