import { busOptions, connectBus } from '@almanac/bus';
import { runRebuild } from '@almanac/clickhouse';
import { type Progress, rebuildCatalogue } from './rebuild-catalogue.js';

const counted = (count: number): string => count.toLocaleString('en-US');

const progressLine = ({ events, of, perSecond }: Progress): string =>
  `${Math.floor((events * 100) / Math.max(1, of))}% of ${counted(of)} events, ${counted(perSecond)} a second`;

/** Overwrites one line on a terminal, and writes separate lines elsewhere. */
const show = (line: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
  else if (line !== '') process.stderr.write(`${line}\n`);
};

/** Rebuilds the catalogue's tables from their events. */
await runRebuild({
  model: 'The catalogue',
  natsUser: 'catalog',
  // For a statement over all markets, such as a merge.
  statementMsMax: 1_800_000,
  stopped: ['Stopped. The catalogue is unchanged.', 130],
  rebuild: async (config, clickhouse, signal) => {
    const bus = await connectBus(busOptions(config));
    try {
      const { events, seconds } = await rebuildCatalogue({
        bus,
        clickhouse,
        signal,
        onProgress: (progress) => show(progressLine(progress)),
        onUnreadable: (error, { subject, seq }) =>
          show(`Skipped an unreadable event: ${subject}, ${seq}: ${String(error)}\n`),
      });
      return `Rebuilt the catalogue from ${counted(events)} events in ${seconds.toFixed(1)} s.`;
    } finally {
      show('');
      await bus.close();
    }
  },
});
