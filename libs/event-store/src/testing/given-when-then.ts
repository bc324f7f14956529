import assert from 'node:assert/strict';
import { DomainError, type ErrorCode } from '@almanac/contracts';
import type { Decider, Fact } from '../decider.js';

/**
 * A decider's rule as one sentence: `given([facts]).when(command).then(fact)`, or `.thenThrows(code)`; `.then(null)`
 * when nothing changes, `.thenState(state)` for what the facts and the decision fold to.
 */
export const specificationOf = <State, Command, F extends Fact>(decider: Decider<State, Command, F>) => ({
  given: (facts: readonly F[]) => ({
    when: (command: Command) => {
      const before = facts.reduce<State | undefined>((state, fact) => decider.evolve(state, fact), undefined);
      const decide = () => decider.decide(command, before);
      return {
        // oxlint-disable-next-line unicorn/no-thenable -- the third word of given/when/then; nobody awaits it
        then: (expected: F | null) => assert.deepEqual(decide(), expected),
        thenThrows: (code: ErrorCode) =>
          assert.throws(decide, (error) => error instanceof DomainError && error.code === code),
        thenState: (expected: State) => {
          const fact = decide();
          assert.deepEqual(fact === null ? before : decider.evolve(before, fact), expected);
        },
      };
    },
  }),
});
