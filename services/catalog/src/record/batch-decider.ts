import type { Decider, DomainEvent } from '@almanac/event-store';
import { statedFields } from '../facts/merge.js';

export type Outcome = 'created' | 'changed' | 'unchanged';

/**
 * Decides several commands about one entity as one event, so that a source that repeats an entity costs one load and at
 * most one append. The event states each field that a command changed, with its final value. `outcomes` gets what each
 * command would have done on its own, in order.
 */
export const batchDecider = <State extends object, Command, F extends DomainEvent & { readonly data: object }>(
  decider: Decider<State, Command, F>,
  outcomes: Outcome[],
): Decider<State, readonly Command[], F> => ({
  state: decider.state,
  evolve: decider.evolve,
  decide: (commands, state) => {
    outcomes.length = 0;
    let current = state;
    const events: F[] = [];
    for (const command of commands) {
      const event = decider.decide(command, current);
      outcomes.push(event === null ? 'unchanged' : current === undefined ? 'created' : 'changed');
      if (event === null) continue;
      current = decider.evolve(current, event);
      events.push(event);
    }
    const [first] = events;
    if (first === undefined || events.length === 1 || current === undefined) return first ?? null;
    return { ...first, data: finalFields(events, current) };
  },
});

const finalFields = (events: readonly DomainEvent[], state: object): object => {
  const stated = new Set(
    events.flatMap(({ data }) => (typeof data === 'object' && data !== null ? Object.keys(data) : [])),
  );
  return statedFields(Object.fromEntries(Object.entries(state).filter(([name]) => stated.has(name))));
};
