// Three nats-servers and seven services for minutes. What a gateway answers without evidence is tested in services/gateway/src/auth.
import { testNumber } from '@almanac/testing';
import { readsAreAnsweredWithoutAServer } from './answered-reads-suite.js';

readsAreAnsweredWithoutAServer({
  kills: testNumber('kills', 6),
  stops: 3,
  seed: 1,
  graceMs: 10_000,
});
