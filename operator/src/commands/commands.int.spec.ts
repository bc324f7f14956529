import { after, before, describe } from 'node:test';
import { type OperatorFixture, startOperatorFixture } from '../testing/operator-fixture.js';
import { accountsSuite } from './testing/accounts-suite.js';
import { deadLettersSuite } from './testing/dead-letters-suite.js';
import { doctorSuite } from './testing/doctor-suite.js';
import { newerEventsSuite } from './testing/newer-events-suite.js';
import { outputSuite } from './testing/output-suite.js';

/** One NATS with commerce and keys for all commands. The first ones need it without accounts and dead letters. */
describe('the operator commands', () => {
  let fixture: OperatorFixture;
  before(async () => {
    fixture = await startOperatorFixture();
  });
  after(() => fixture.stop());

  const of = () => fixture;
  doctorSuite(of);
  outputSuite(of);
  deadLettersSuite(of);
  newerEventsSuite(of);
  accountsSuite(of);
});
