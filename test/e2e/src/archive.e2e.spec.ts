import { after, before, describe } from 'node:test';
import { startTraceCollector, type TraceCollector } from '@almanac/testing';
import { archiveSuites, archiveSystem } from './archive/archive-suites.js';
import { type SystemHarness, startHarness } from './harness.js';

/** One system for all that read an archive and export it. Each suite has its own markets and accounts. */
describe('a system with an archive', { timeout: 580_000 }, () => {
  let collector: TraceCollector;
  let running: SystemHarness;

  before(async () => {
    collector = await startTraceCollector();
    running = await startHarness(archiveSystem(collector.url));
  });
  after(async () => {
    await collector.stop();
    await running.stop();
  });

  archiveSuites(
    () => running,
    () => collector,
  );
});
