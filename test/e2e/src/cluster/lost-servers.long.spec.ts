import { testNumber } from '@almanac/testing';
import { readsSurviveLostServers } from './lost-servers-suite.js';

const stops = testNumber('stops', 50);
const freezes = testNumber('freezes', 30);

readsSurviveLostServers({
  losses: {
    SIGTERM: stops,
    'lame duck': stops,
    freeze: freezes,
    partition: freezes,
    slow: freezes,
    'kill -9': testNumber('kills', 500),
  },
  seed: 1,
  graceMs: 10_000,
});
