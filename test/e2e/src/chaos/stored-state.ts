import { checkpointSubjects, connectBus, patterns, readSubjects } from '@almanac/bus';
import {
  type AccountState,
  accountState,
  type CheckoutState,
  checkoutState,
  type ExportState,
  exportState,
  type ExportQuery,
  fileState,
  type StreamName,
  type UnlockState,
  unlockState,
} from '@almanac/contracts';
import { connectOperator, type System } from '@almanac/operator';

/** The events of the grants of one export in order, such as `GrantReserved`, `GrantReleased: abandoned`. */
export type GrantHistory = readonly string[];

/** The stored state of an account and its entities. */
export interface StoredAccount {
  readonly state: AccountState;
  readonly unlocks: readonly UnlockState[];
  readonly checkouts: readonly CheckoutState[];
  readonly exports: readonly { readonly state: ExportState; readonly types: readonly string[] }[];
  readonly grants: ReadonlyMap<string, GrantHistory>;
}

interface StoredEventRow {
  readonly subject: string;
  readonly type: string;
  readonly data: unknown;
  readonly state: unknown;
}

const checkpoints: ReadonlySet<string> = new Set([checkpointSubjects.openAccounts, ...checkpointSubjects.ofConsumers]);

/** All stored accounts, by name. The checkpoint, which a long history has, belongs to none. */
export const readStoredAccounts = async (system: System): Promise<ReadonlyMap<string, StoredAccount>> => {
  const bus = await connectOperator({ url: system.infrastructure.natsUrl, password: system.secrets.nats.operator });
  const read = async (stream: StreamName): Promise<StoredEventRow[]> => {
    const onUnreadable = (error: unknown): never => {
      throw error instanceof Error ? error : new Error(String(error));
    };
    const all: StoredEventRow[] = [];
    for await (const { subject, event } of readSubjects(bus, {
      stream,
      filter: patterns.allOf(stream),
      onUnreadable,
    })) {
      if (!checkpoints.has(subject)) all.push({ subject, ...event });
    }
    return all;
  };
  try {
    const commerce = Map.groupBy(await read('EVT_COMMERCE'), accountOf);
    const exported = Map.groupBy(await read('EVT_EXPORT'), accountOf);
    const names = new Set([...commerce.keys(), ...exported.keys()]);
    return new Map(
      [...names].map((name) => [name, storedAccountOf(commerce.get(name) ?? [], exported.get(name) ?? [])] as const),
    );
  } finally {
    await bus.close();
  }
};

/** The subject is `evt.<domain>.<account>` and more tokens. An account's name is a plain token. */
const accountOf = ({ subject }: StoredEventRow): string => subject.split('.')[2] ?? '';

const storedAccountOf = (commerce: readonly StoredEventRow[], exported: readonly StoredEventRow[]): StoredAccount => {
  const byEntity = Map.groupBy(commerce, ({ subject }) => subject.split('.')[3] ?? '');
  const own = byEntity.get('') ?? [];
  return {
    state: accountState.parse(own.at(-1)?.state),
    unlocks: lastOf(byEntity.get('unlock') ?? []).map((state) => unlockState.parse(state)),
    checkouts: lastOf(byEntity.get('checkout') ?? []).map((state) => checkoutState.parse(state)),
    exports: [...Map.groupBy(exported, ({ subject }) => subject).values()].map((its) => ({
      state: exportState.parse(its.at(-1)?.state),
      types: its.map(({ type }) => type),
    })),
    grants: new Map(
      [...Map.groupBy(own.flatMap(grantIn), ({ id }) => id)].map(([id, its]) => [id, its.map(({ what }) => what)]),
    ),
  };
};

const lastOf = (events: readonly StoredEventRow[]): unknown[] =>
  [...Map.groupBy(events, ({ subject }) => subject).values()].map((its) => its.at(-1)?.state);

const grantIn = ({ type, data }: StoredEventRow): { id: string; what: string }[] => {
  if (!type.startsWith('Grant')) return [];
  const { export_id: id, reason } = data as { export_id: string; reason?: string };
  return [{ id, what: reason === undefined ? type : `${type}: ${reason}` }];
};

/** The number of dead letters. */
export const deadLetters = async (system: System): Promise<number> => {
  const { infrastructure, secrets } = system;
  const bus = await connectBus({ url: infrastructure.natsUrl, user: 'commerce', password: secrets.nats.commerce });
  try {
    return (await bus.jsm.streams.info('DEAD')).state.messages;
  } finally {
    await bus.close();
  }
};

/** The events of each file, in order. */
export interface StoredFileHistory {
  readonly key: string;
  readonly query: ExportQuery;
  readonly types: readonly string[];
}

/** All stored files. Only the export service may read their states, one by one. */
export const readFiles = async ({ infrastructure, secrets }: System): Promise<StoredFileHistory[]> => {
  const bus = await connectBus({ url: infrastructure.natsUrl, user: 'export', password: secrets.nats.export });
  try {
    const { state } = await bus.jsm.streams.info('EVT_FILE');
    const files = new Map<string, { key: string; query: ExportQuery; types: string[] }>();
    for (let seq = 1; seq <= state.last_seq; seq += 1) {
      const message = await bus.jsm.streams.getMessage('EVT_FILE', { seq });
      if (message === null) throw new Error(`EVT_FILE has no event ${seq}`);
      // A waiting export has a subject of its own, and its state is no file.
      if (message.subject.split('.').length > 3) continue;
      const event = message.json<{ type: string; state: unknown }>();
      const { key, query } = fileState.parse(event.state);
      const { types } = files.get(key) ?? { types: [] };
      files.set(key, { key, query, types: [...types, event.type] });
    }
    return [...files.values()];
  } finally {
    await bus.close();
  }
};
