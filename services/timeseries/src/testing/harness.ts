import type { Bus } from '@almanac/bus';
import {
  callersOf,
  type Callers,
  type RunningService,
  startFixture,
  startService,
  type TimeseriesFixture,
} from './fixture.js';

export interface TimeseriesHarness {
  readonly fixture: TimeseriesFixture;
  readonly callers: Callers;
  stop(): Promise<void>;
}

/** A running service with callers, for tests that need nothing else of it. */
export const startHarness = async (): Promise<TimeseriesHarness> => {
  const fixture = await startFixture();
  const service: RunningService = await startService(fixture);
  const gateway: Bus = await fixture.busOf('gateway');
  const ingest: Bus = await fixture.busOf('ingest');
  return {
    fixture,
    callers: callersOf(gateway, ingest),
    stop: async () => {
      await service.stop();
      await Promise.all([gateway.close(), ingest.close()]);
      await fixture.stop();
    },
  };
};
