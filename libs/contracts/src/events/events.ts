import { z } from 'zod';

/**
 * A stored event: a change in the past tense with the entity's state after it. The last message of a subject
 * therefore holds the entity's current state.
 *
 * `id` is the id of the command that caused it (a UUID), which makes a repeated append recognisable. `time` is
 * integer microseconds since the epoch. `account` is null for events that belong to no account.
 */
export const eventOf = <Type extends string, Data extends z.ZodType, State extends z.ZodType>(
  type: Type,
  data: Data,
  state: State,
) => {
  eventTypesOf(state, [type]);
  return z.object({
    id: z.string().meta({ description: 'Id of the command that caused the event (UUID)' }),
    type: z.literal(type).meta({ description: 'Type of the event' }),
    version: z
      .literal(1)
      .meta({ description: 'Version of the event. It changes if an existing field changes its meaning' }),
    time: z.int().meta({ description: 'Time of the event, in Unix microseconds' }),
    account: z
      .string()
      .nullable()
      .meta({ description: 'Account that the event belongs to. Null if it belongs to no account' }),
    format: z.int().optional().meta({
      description:
        'Format of the stream that the writer knows. It rises with each release that adds a field or a type of event',
    }),
    data,
    state,
  });
};

const knownTypes = new WeakMap<z.ZodType, Set<string>>();

/** Declares types of events with this state. */
export const eventTypesOf = <State extends z.ZodType>(state: State, types: readonly string[]): State => {
  knownTypes.set(state, new Set([...(knownTypes.get(state) ?? []), ...types]));
  return state;
};

/** Whether this release knows the type. Without declared types, it knows every type. */
export const isKnownType = (state: z.ZodType, type: string): boolean => knownTypes.get(state)?.has(type) ?? true;

/** The declared types of events with this state. */
export const declaredTypes = (state: z.ZodType): string[] => [...(knownTypes.get(state) ?? [])].toSorted();

/** A stored event of unknown type. */
export interface StoredEvent<State = unknown> {
  readonly id: string;
  readonly type: string;
  readonly version: 1;
  readonly time: number;
  readonly account: string | null;
  readonly data: unknown;
  readonly state: State;
}

/** The event streams, each with the token after `evt.` that it holds. */
export const streams = {
  EVT_CATALOG: 'catalog',
  EVT_ARCHIVE: 'archive',
  EVT_KEYS: 'keys',
  EVT_COMMERCE: 'commerce',
  EVT_STRIPE: 'commerce-stripe',
  EVT_EXPORT: 'export',
  EVT_FILE: 'file',
  EVT_WEBHOOK: 'webhook',
} as const;
export type StreamName = keyof typeof streams;
