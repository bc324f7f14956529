import './alerts.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link as RouterLink, useLocation } from 'wouter';
import { useSession } from '../api/use-session.js';
import { isOfMarket } from '../archive/market-data.js';
import { setFiredCount } from '../parts/page-title.js';
import { useAlerts } from './alert-store.js';
import { conditionText, crossingText, momentPath } from './alert-texts.js';
import { notifyPerson } from './notifications.js';
import { isWaiting, type PriceAlert } from './price-alert.js';
import { emptyMemory, roundS, watchRound } from './watch-round.js';

/** Compares the prices of all alerts while the console is open, and says which one has fired. */
export const AlertWatch = (): ReactNode => {
  const session = useSession();
  // A key that reads as of a time does not know the present.
  if (session === null || session === undefined || session.as_of !== null) return null;
  return <Watch key={session.key_id} keyId={session.key_id} />;
};

const Watch = ({ keyId }: { readonly keyId: string }): ReactNode => {
  const { alerts, see } = useAlerts();
  const fired = alerts.filter(({ crossing, isSeen }) => crossing !== null && !isSeen);
  const round = useRounds(keyId, alerts);
  useEffect(() => {
    setFiredCount(fired.length);
    return () => setFiredCount(0);
  }, [fired.length]);
  return (
    <section
      className="fired"
      aria-label={fired.length === 0 ? undefined : 'Alerts that fired'}
      data-fired={fired.length}
      data-round={round}
    >
      {/* It is there before its content, so that screen readers say what comes. */}
      <div role="alert">
        {fired.slice(0, firedShown).map((alert) => (
          <Fired key={alert.id} alert={alert} onSee={() => see(alert.id)} />
        ))}
        {fired.length > firedShown ? (
          <p className="hint">{`${fired.length - firedShown} more are on the home`}</p>
        ) : null}
      </div>
    </section>
  );
};

const firedShown = 3;

const Fired = ({ alert, onSee }: { readonly alert: PriceAlert; readonly onSee: () => void }): ReactNode => {
  if (alert.crossing === null) return null;
  return (
    <article className="fired-alert" data-alert={alert.ticker}>
      <h2 dir="auto">{alert.title}</h2>
      <p>
        {crossingText(alert, alert.crossing)}. <span className="hint">Alert: {conditionText(alert)}</span>
      </p>
      <div className="buttons">
        <RouterLink href={momentPath(alert.ticker, alert.crossing)} className="button primary" onClick={onSee}>
          Show the moment
        </RouterLink>
        <button type="button" onClick={onSee}>
          Close
        </button>
      </div>
    </article>
  );
};

const waitMaxS = 300;

/** A round every 10 s while something is waited for, also in a hidden tab. After failures, later ones. */
const useRounds = (keyId: string, alerts: readonly PriceAlert[]): 'fetching' | 'paused' | 'idle' => {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [memory] = useState(emptyMemory);
  const failures = useRef(0);
  const isLeader = useLeader(`almanac-alerts-${keyId}`);
  const isNeeded = isLeader && alerts.some(isWaiting);
  const round = async (signal: AbortSignal): Promise<number> => {
    try {
      const fired = await watchRound(keyId, memory, signal);
      failures.current = 0;
      for (const alert of fired) announce(alert, navigate);
      return fired.length;
    } catch (error) {
      if (!signal.aborted) failures.current += 1;
      throw error;
    }
  };
  const { refetch, fetchStatus } = useQuery({
    queryKey: ['alert-round', keyId],
    queryFn: ({ signal }) => round(signal),
    enabled: isNeeded,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchInterval: () => Math.min(waitMaxS, roundS * 2 ** failures.current) * 1_000,
    refetchIntervalInBackground: true,
  });
  // A new alert begins with what its market costs now.
  const isNew = isNeeded && alerts.some((alert) => isWaiting(alert) && alert.last_ts === null);
  useEffect(() => {
    if (isNew) void refetch();
  }, [isNew, refetch]);
  const firedTickers = alerts.flatMap(({ ticker, crossing, isSeen }) => (crossing === null || isSeen ? [] : [ticker]));
  const firedKey = firedTickers.join('\n');
  useEffect(() => {
    // The moment must be on the chart to which the message leads.
    const tickers = new Set(firedKey.split('\n'));
    void client.invalidateQueries({ predicate: ({ queryKey }) => isOfMarket(queryKey, tickers) });
  }, [firedKey, client]);
  return fetchStatus;
};

const announce = (alert: PriceAlert, navigate: (path: string) => void): void => {
  const { id, title, ticker, crossing } = alert;
  if (crossing === null) return;
  const onOpen = (): void => navigate(momentPath(ticker, crossing));
  notifyPerson({ id, title, body: crossingText(alert, crossing), onOpen });
};

/** Whether this tab asks for prices. Of several tabs, one does, and the others follow what it stores. */
const useLeader = (name: string): boolean => {
  // Browsers have locks only at https addresses and on this machine. Elsewhere each tab asks.
  const [isLeader, setLeader] = useState(() => !('locks' in navigator));
  useEffect(() => {
    if (!('locks' in navigator)) return undefined;
    const stop = new AbortController();
    const held = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
    const lead = (): Promise<void> => {
      if (!stop.signal.aborted) setLeader(true);
      return held;
    };
    navigator.locks.request(name, { signal: stop.signal }, lead).catch(() => undefined);
    return () => {
      stop.abort();
      setLeader(false);
    };
  }, [name]);
  return isLeader;
};
