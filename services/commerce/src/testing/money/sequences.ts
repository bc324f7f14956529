import type { PaymentMode } from '@almanac/contracts';
import * as fc from 'fast-check';
import { accounts, events, type CrashPoint, type Operation } from './steps.js';
import { MoneyModel } from './money-model.js';

const account = fc.constantFrom(...accounts);
const event = fc.constantFrom(...events);
const key = fc.constantFrom('k1', 'k2', undefined, undefined);
const id = fc.constantFrom('x1', 'x22', 'x3', 'x44', 'x5', 'x66');

/** Common operations have a higher weight. Rare ones are the failures. */
const step: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('add'), account, event }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove'), account, event }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('check-out'), account, key }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pay'), account }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('tell-news'), account }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refund'), account, event }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('upgrade'), account, plan: fc.constantFrom('pro', 'full_book'), key }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('export'), account, event, id }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end-export'), account, id, ready: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('change-price'), price: fc.constantFrom(0, 300, 500, 900) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait'), hours: fc.constantFrom(1, 7, 30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('react', 'sweep') }) },
);
const crashPoint: fc.Arbitrary<CrashPoint> = fc.record({ after: fc.nat(12), isDone: fc.boolean() });
/** Mostly sequential steps, at times concurrent ones. A third run in a process that crashes. */
const moment = fc.record({
  steps: fc.oneof(
    { weight: 4, arbitrary: fc.array(step, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(step, { minLength: 2, maxLength: 4 }) },
  ),
  fuse: fc.option(crashPoint, { nil: undefined, freq: 2 }),
});

/**
 * Runs random sequences of steps, repeats and crashes, and checks that every account was charged exactly for what is
 * unlocked. Resolves with the number of steps. A failure reports its seed and its shortest sequence.
 */
export const moneySequences = async (mode: PaymentMode, numRuns: number, seed: number): Promise<number> => {
  let ran = 0;
  const sequences = fc.asyncProperty(fc.array(moment, { maxLength: 200, size: 'max' }), async (moments) => {
    const model = new MoneyModel(mode);
    await model.open();
    for (const { steps, fuse: at } of moments) {
      await model.run(steps, at);
      ran += steps.length;
    }
    await model.recover();
    await model.check();
  });
  await fc.assert(sequences, { numRuns, seed, includeErrorInReport: true });
  return ran;
};
