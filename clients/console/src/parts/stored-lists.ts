import { useMemo, useSyncExternalStore } from 'react';
import { useSession } from '../api/use-session.js';
import { storedByKey } from './stored-by-key.js';

/** A market, event or series that this browser remembers for a person. */
export interface StoredItem {
  readonly kind: 'market' | 'event' | 'series';
  readonly id: string;
  readonly title: string;
}

/** Both lists have the newest first. */
interface Stored {
  readonly watched: readonly StoredItem[];
  readonly recent: readonly StoredItem[];
}

const recentMax = 8;
const watchedMax = 50;
const nothing: Stored = { watched: [], recent: [] };

const isItem = (value: unknown): value is StoredItem => {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, id, title } = value as Partial<Record<keyof StoredItem, unknown>>;
  return ['market', 'event', 'series'].includes(String(kind)) && typeof id === 'string' && typeof title === 'string';
};

/** What a browser has stored can be of another release, or of somebody's hand. */
export const storedIn = (text: string | null): Stored => {
  try {
    const { watched, recent } = JSON.parse(text ?? '{}') as Partial<Record<keyof Stored, unknown>>;
    const itemsOf = (value: unknown): StoredItem[] => (Array.isArray(value) ? value.filter(isItem) : []);
    return { watched: itemsOf(watched).slice(0, watchedMax), recent: itemsOf(recent).slice(0, recentMax) };
  } catch {
    return nothing;
  }
};

const { read, change, subscribe } = storedByKey<Stored>('almanac-lists-', storedIn);

const isSameItem = (one: StoredItem, other: Pick<StoredItem, 'kind' | 'id'>): boolean =>
  one.kind === other.kind && one.id === other.id;

/** An item at the front of a list that has each item once. */
export const atFront = (items: readonly StoredItem[], item: StoredItem, most: number): StoredItem[] =>
  [item, ...items.filter((other) => !isSameItem(other, item))].slice(0, most);

const toggled = (now: Stored, item: StoredItem): Stored => {
  const rest = now.watched.filter((other) => !isSameItem(other, item));
  return { ...now, watched: rest.length < now.watched.length ? rest : atFront(rest, item, watchedMax) };
};

const visited = (now: Stored, item: StoredItem): Stored => {
  const [first] = now.recent;
  if (first !== undefined && isSameItem(first, item) && first.title === item.title) return now;
  return { ...now, recent: atFront(now.recent, item, recentMax) };
};

export interface StoredLists extends Stored {
  readonly isWatched: (item: Pick<StoredItem, 'kind' | 'id'>) => boolean;
  readonly toggleWatched: (item: StoredItem) => void;
  readonly visit: (item: StoredItem) => void;
}

/** The watchlist and the recent views of this browser for the key that is signed in. */
export const useStoredLists = (): StoredLists => {
  const keyId = useSession()?.key_id ?? '';
  const lists = useSyncExternalStore(subscribe, () => read(keyId));
  return useMemo(
    () => ({
      ...lists,
      isWatched: (item) => lists.watched.some((other) => isSameItem(other, item)),
      toggleWatched: (item) => change(keyId, (now) => toggled(now, item)),
      visit: (item) => change(keyId, (now) => visited(now, item)),
    }),
    [lists, keyId],
  );
};
