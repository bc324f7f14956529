import { after, before, describe } from 'node:test';
import { startTraceCollector, type TraceCollector } from '@almanac/testing';
import { backtestSuite } from './archive/backtest-suite.js';
import { dayPacksSuite } from './archive/day-packs-suite.js';
import { downloadSuite } from './archive/download-suite.js';
import { oddExportsSuite } from './archive/odd-exports-suite.js';
import { snapshotsSuite } from './archive/snapshots-suite.js';
import { tracesSuite } from './archive/traces-suite.js';
import { type SystemHarness, startHarness } from './harness.js';

/** Long enough that a slow machine sees a link several times. */
const linkLifeS = 12;

/** One system for all that read an archive and export it. Each suite has its own markets and accounts. */
describe('a system with an archive', { timeout: 580_000 }, () => {
  let collector: TraceCollector;
  let running: SystemHarness;

  before(async () => {
    collector = await startTraceCollector();
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, LOG_LEVEL: 'debug' };
    running = await startHarness({
      gateways: 2,
      environment: {
        gateway: traced,
        catalog: traced,
        commerce: traced,
        timeseries: { ...traced, SLABS_MB: '0' },
        export: { ...traced, LINK_TTL_S: String(linkLifeS), EXPORT_ATTEMPTS: '6' },
      },
    });
  });
  after(async () => {
    await collector.stop();
    await running.stop();
  });

  const system = () => running;
  tracesSuite(system, () => collector);
  downloadSuite(system, linkLifeS);
  dayPacksSuite(system);
  oddExportsSuite(system);
  backtestSuite(system);
  snapshotsSuite(system);
});
