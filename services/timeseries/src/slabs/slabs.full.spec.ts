/** The property of slabs.int.spec.ts at the size at which it notices every mutant of mutants.long.spec.ts. */
import { after, before } from 'node:test';
import { type ComparedReads, startComparedReads } from './testing/compared-reads.js';
import { describeSlabs } from './testing/slabs-suite.js';

let tested: ComparedReads;
before(async () => {
  tested = await startComparedReads();
});
after(() => tested.stop());

describeSlabs(() => tested, { seed: 20_261_123, markets: 4, reads: 60 });
