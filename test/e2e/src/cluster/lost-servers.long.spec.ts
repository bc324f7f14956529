import { testNumber } from '@almanac/testing';
import { readsSurviveLostServers } from './lost-servers-suite.js';

const stops = testNumber('stops', 50);
const freezes = testNumber('freezes', 30);
/** Servers that are cut off from the others. */
const cuts = testNumber('cuts', freezes);

readsSurviveLostServers({
  losses: {
    SIGTERM: stops,
    'lame duck': stops,
    freeze: freezes,
    partition: cuts,
    slow: freezes,
    'kill -9': testNumber('kills', 500),
  },
  seed: 1,
  graceMs: 10_000,
});
