// The whole system on three nats-servers, for minutes: a fault takes 10 to 20 s, so that most elections end before the next one.
import { testNumber } from '@almanac/testing';
import { readsSurviveLostServers } from './lost-servers-suite.js';

const stops = testNumber('stops', 2);
const freezes = testNumber('freezes', 1);
/** Servers that are cut off from the others. */
const cuts = testNumber('cuts', freezes);

readsSurviveLostServers({
  losses: {
    SIGTERM: stops,
    'lame duck': stops,
    freeze: freezes,
    partition: cuts,
    slow: freezes,
    'kill -9': testNumber('kills', 8),
  },
  seed: 1,
  graceMs: 10_000,
});
