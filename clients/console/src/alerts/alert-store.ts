import { useMemo, useSyncExternalStore } from 'react';
import { useSession } from '../api/use-session.js';
import { storedByKey } from '../parts/stored-by-key.js';
import { type AlertedValue, alertsIn, isWaiting, limited, type PriceAlert, sideOf, waitingMax } from './price-alert.js';

const stored = storedByKey<readonly PriceAlert[]>('almanac-alerts-', alertsIn);

export const alertsOf = stored.read;

export const changeAlerts = (keyId: string, change: (alerts: readonly PriceAlert[]) => readonly PriceAlert[]): void =>
  stored.change(keyId, (alerts) => limited(change(alerts)));

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
  const alerts = useSyncExternalStore(stored.subscribe, () => alertsOf(keyId));
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
