import type { StreamName } from './events.js';

interface Renames {
  /** The first format with the present names. */
  readonly since: number;
  readonly types?: Readonly<Record<string, string>>;
  /** Fields of the data and of the state, at their top. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Values of the state's status. */
  readonly statuses?: Readonly<Record<string, string>>;
}

/** Names that archives hold from builds before release 0.1.0. Stored events are never written again. */
const renames: Readonly<Partial<Record<StreamName, Renames>>> = {
  EVT_EXPORT: { since: 6, fields: { question: 'query' } },
  EVT_FILE: {
    since: 6,
    types: { FileWanted: 'FileRequested', FileVanished: 'FileMissing' },
    fields: { question: 'query' },
    statuses: { wanted: 'requested' },
  },
};

interface Named {
  readonly type: string;
  readonly data: unknown;
  readonly state: unknown;
}

/** A parsed event of this format with the names of this release. Nearly every event has them and is returned as it is. */
export const withPresentNames = <Event extends Named>(stream: StreamName, format: number, event: Event): Event => {
  const found = renames[stream];
  if (found === undefined || format >= found.since) return event;
  const { type, data, state } = event;
  const { types = {}, fields = {}, statuses = {} } = found;
  const named = (value: unknown): unknown => {
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(([key, one]) => [own(fields, key) ?? key, one]);
    return Object.fromEntries(entries);
  };
  const namedState = named(state);
  const status = isRecord(namedState) && own(statuses, namedState['status']);
  return {
    ...event,
    type: own(types, type) ?? type,
    data: named(data),
    state: status ? { ...(namedState as object), status } : namedState,
  };
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const own = (names: Readonly<Record<string, string>>, name: unknown): string | undefined =>
  typeof name === 'string' && Object.hasOwn(names, name) ? names[name] : undefined;
