import type { ProcessName } from '@almanac/contracts';
import type { TraceCollector } from '@almanac/testing';
import type { SystemHarness } from '../harness.js';
import { backtestSuite } from './backtest-suite.js';
import { dayPacksSuite } from './day-packs-suite.js';
import { downloadSuite } from './download-suite.js';
import { oddExportsSuite } from './odd-exports-suite.js';
import { snapshotsSuite } from './snapshots-suite.js';
import { tracesSuite } from './traces-suite.js';

/** Long enough that a slow machine sees a link several times. */
const linkLifeS = 12;

interface ArchiveSystem {
  readonly gateways: number;
  readonly environment: Partial<Record<ProcessName, NodeJS.ProcessEnv>>;
}

/** What the suites need of their system. */
export const archiveSystem = (collectorUrl: string): ArchiveSystem => {
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl, LOG_LEVEL: 'debug' };
  return {
    gateways: 2,
    environment: {
      gateway: traced,
      catalog: traced,
      commerce: traced,
      timeseries: { ...traced, SLABS_MB: '0' },
      export: { ...traced, LINK_TTL_S: String(linkLifeS), EXPORT_ATTEMPTS: '6' },
    },
  };
};

/** All that read an archive and export it. */
export const archiveSuites = (system: () => SystemHarness, collector: () => TraceCollector): void => {
  tracesSuite(system, collector);
  downloadSuite(system, linkLifeS);
  dayPacksSuite(system);
  oddExportsSuite(system);
  backtestSuite(system);
  snapshotsSuite(system);
};
