import { queryProcessStatus } from '@almanac/bus';
import { pluralize, unixMicros } from '@almanac/runtime';
import { expectedIn } from '../status/expected.js';
import { findFaults } from '../status/faults.js';
import { type Command, homeOf } from './command.js';
import { UsageError } from '../error-message.js';

export const doctor: Command = {
  words: 'doctor',
  takes: '',
  does: 'Lists the problems of the running system and their remedies. The exit code is 1 if there are problems.',
  options: [],
  hasSubject: false,
  run: async ({ bus, show, environment }) => {
    const queriedUs = unixMicros();
    const processes = await queryProcessStatus(bus);
    const { NATS_URL, NATS_MONITOR_URL: natsMonitor } = environment;
    const faults = await findFaults(bus, {
      processes,
      queriedUs,
      expected: expectedIn(environment),
      server: bus.nc.info ?? { version: 'unknown' },
      // If the environment names the servers, they run elsewhere.
      ...(NATS_URL ? {} : { home: homeOf({ environment }) }),
      ...(natsMonitor ? { natsMonitor } : {}),
    });
    if (faults.length === 0) return show([], 'No problems found.');
    show(faults, faults.map(({ fault, remedy }) => `${fault}\n  ${remedy}`).join('\n'));
    throw new UsageError(`${pluralize(faults.length, 'problem')} found.`);
  },
};
