import type { Bus } from '@almanac/bus';
import type { UserName } from '@almanac/contracts';
import type { TimeseriesConfig } from '../config.js';
import {
  callersOf,
  type Callers,
  type FixtureOptions,
  type RunningService,
  startFixture,
  startService,
  type TimeseriesFixture,
} from './fixture.js';

export interface TimeseriesHarness {
  readonly fixture: TimeseriesFixture;
  readonly callers: Callers;
  /** The running processes. `stop` ends those that are left. */
  readonly services: RunningService[];
  /** A connection that `stop` closes. */
  busOf(user: UserName): Promise<Bus>;
  stop(): Promise<void>;
}

export interface HarnessOptions extends FixtureOptions {
  readonly processes?: number;
  readonly changes?: Partial<TimeseriesConfig>;
}

/** Running processes of the service with callers. */
export const startHarness = async ({
  processes = 1,
  changes = {},
  ...options
}: HarnessOptions = {}): Promise<TimeseriesHarness> => {
  const fixture = await startFixture(options);
  const services = await Promise.all(Array.from({ length: processes }, () => startService(fixture, changes)));
  const buses: Bus[] = [];
  const busOf = async (user: UserName): Promise<Bus> => {
    const bus = await fixture.busOf(user);
    buses.push(bus);
    return bus;
  };
  return {
    fixture,
    callers: callersOf(await busOf('gateway'), await busOf('ingest')),
    services,
    busOf,
    stop: async () => {
      await Promise.all(services.map((service) => service.stop()));
      await Promise.all(buses.map((bus) => bus.close()));
      await fixture.stop();
    },
  };
};
