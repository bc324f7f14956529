import assert from 'node:assert/strict';
import { carriedFields, parseCarrying } from '@almanac/contracts';
import type { Decider, DomainEvent } from '../decider.js';

const marker = 'of_the_next_release';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Adds a field that no release knows to each object, at every depth. Its value is the object's path. */
const marked = (value: unknown, path: string, given: { paths: string[]; maps: readonly string[] }): unknown => {
  if (Array.isArray(value)) return value.map((item, index) => marked(item, `${path}.${index}`, given));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, marked(field, `${path}.${name}`, given)]);
  if (given.maps.includes(path)) return Object.fromEntries(fields);
  given.paths.push(path);
  return { ...Object.fromEntries(fields), [marker]: path };
};

const marksIn = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value.flatMap(marksIn);
  if (!isObject(value)) return [];
  return [carriedFields(value)?.[marker], ...Object.values(value).flatMap(marksIn)];
};

/**
 * Checks that `evolve` keeps the fields of a newer release in every object of the state, except those in `removed`: the
 * paths of objects that the event removes or replaces. `maps` are objects whose names are ids.
 */
export const assertCarries = <State, Command, F extends DomainEvent>(
  decider: Decider<State, Command, F>,
  {
    state,
    event,
    removed = [],
    maps = [],
  }: { state: NoInfer<State>; event: NoInfer<F>; removed?: readonly string[]; maps?: readonly string[] },
): void => {
  const paths: string[] = [];
  const read = parseCarrying(decider.state, marked(JSON.parse(JSON.stringify(state)), 'state', { paths, maps }));
  const carried = new Set(marksIn(decider.evolve(read, event)));
  const lost = paths.filter((path) => !carried.has(path));
  assert.deepEqual(lost.toSorted(), removed.toSorted(), `${event.type} erases fields of a newer release`);
};
