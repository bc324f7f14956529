import { useMemo, useSyncExternalStore } from 'react';
import { useSession } from '../api/use-session.js';
import { type AlertedValue, alertsIn, isWaiting, limited, type PriceAlert, sideOf, waitingMax } from './price-alert.js';

const listeners = new Set<() => void>();
const known = new Map<string, readonly PriceAlert[]>();
const prefix = 'almanac-alerts-';

/** What one person waits for is not for the next one who signs in here. */
const nameOf = (keyId: string): string => `${prefix}${keyId}`;

/** A browser can refuse storage. Alerts then last as long as the page. */
const textOf = (name: string): string | null => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};

export const alertsOf = (keyId: string): readonly PriceAlert[] => {
  const alerts = known.get(keyId) ?? alertsIn(textOf(nameOf(keyId)));
  known.set(keyId, alerts);
  return alerts;
};

/** Other tabs of this browser change the list, too, so each change starts from what is stored. */
export const changeAlerts = (keyId: string, change: (alerts: readonly PriceAlert[]) => readonly PriceAlert[]): void => {
  const text = textOf(nameOf(keyId));
  const before = text === null ? alertsOf(keyId) : alertsIn(text);
  const next = limited(change(before));
  known.set(keyId, next);
  try {
    localStorage.setItem(nameOf(keyId), JSON.stringify(next));
  } catch {
    // See above.
  }
  notify();
};

const notify = (): void => {
  for (const listener of listeners) listener();
};

const onStorage = ({ key, newValue }: StorageEvent): void => {
  if (key?.startsWith(prefix) !== true) return;
  known.set(key.slice(prefix.length), alertsIn(newValue));
  notify();
};

const subscribe = (listener: () => void): (() => void) => {
  if (listeners.size === 0) window.addEventListener('storage', onStorage);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('storage', onStorage);
  };
};

export interface NewAlert {
  readonly ticker: string;
  readonly title: string;
  readonly of: AlertedValue;
  readonly price: number;
  /** The value that the person sees, and its time. */
  readonly seen: { readonly value: number | null; readonly ts: number } | undefined;
}

export interface Alerts {
  readonly alerts: readonly PriceAlert[];
  /** Whether one more can wait. */
  readonly canAdd: boolean;
  readonly add: (alert: NewAlert) => void;
  readonly remove: (id: string) => void;
  /** Closes the message of an alert. */
  readonly see: (id: string) => void;
}

/** The alerts of this browser for the key that is signed in, the newest first. */
export const useAlerts = (): Alerts => {
  const keyId = useSession()?.key_id ?? '';
  const alerts = useSyncExternalStore(subscribe, () => alertsOf(keyId));
  return useMemo(
    () => ({
      alerts,
      canAdd: alerts.filter(isWaiting).length < waitingMax,
      add: (alert) => changeAlerts(keyId, (before) => withNew(before, alert)),
      remove: (id) => changeAlerts(keyId, (before) => before.filter((alert) => alert.id !== id)),
      see: (id) =>
        changeAlerts(keyId, (before) => before.map((alert) => (alert.id === id ? { ...alert, isSeen: true } : alert))),
    }),
    [alerts, keyId],
  );
};

/** The same alert waits once. */
const withNew = (before: readonly PriceAlert[], { seen, ...alert }: NewAlert): readonly PriceAlert[] => {
  const isSame = (other: PriceAlert): boolean =>
    isWaiting(other) && other.ticker === alert.ticker && other.of === alert.of && other.price === alert.price;
  if (before.some(isSame) || before.filter(isWaiting).length >= waitingMax) return before;
  const set_ts = Date.now() / 1_000;
  const id = `${set_ts.toFixed(3)}-${Math.random().toString(36).slice(2, 8)}`;
  const begin = { side: sideOf(seen?.value ?? null, alert.price), last_ts: null, known_ts: seen?.ts ?? null };
  return [{ ...alert, id, set_ts, ...begin, crossing: null, ended_ts: null, isSeen: false }, ...before];
};
