import { ConnectionError } from '@almanac/client';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { usePausedUntil } from '../api/requests-left.js';
import { duration } from '../format/time.js';
import { offlineEvent, serverAnswers } from '../api/server-answers.js';

const pollMs = 2_000;

/**
 * A banner while the gateway does not answer, or refuses requests because there were too many. When it answers again,
 * everything that failed is read once more.
 */
export const Connection = (): ReactNode => {
  const client = useQueryClient();
  const [isOffline, setOffline] = useState(false);
  const pausedUntil = usePausedUntil();
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        if (event.type === 'updated' && event.action.type === 'error' && event.action.error instanceof ConnectionError)
          setOffline(true);
        if (event.type === 'updated' && event.action.type === 'failed' && event.action.error instanceof ConnectionError)
          setOffline(true);
      }),
    [client],
  );
  useEffect(() => {
    const show = (): void => setOffline(true);
    window.addEventListener(offlineEvent, show);
    return () => window.removeEventListener(offlineEvent, show);
  }, []);
  useEffect(() => {
    if (!isOffline) return undefined;
    const timer = setInterval(() => {
      void serverAnswers().then((answers) => {
        if (!answers) return;
        setOffline(false);
        void client.refetchQueries({ predicate: ({ state }) => state.status === 'error' });
      });
    }, pollMs);
    return () => clearInterval(timer);
  }, [isOffline, client]);
  if (isOffline)
    return (
      <div className="banner" role="status" data-state="offline">
        The server does not answer. What you see may be old. Trying again every {pollMs / 1_000} seconds.
      </div>
    );
  if (pausedUntil === undefined) return null;
  return (
    <div className="banner" role="status" data-state="rate-limited">
      Your plan allows no more requests in this minute. The page goes on in <Seconds until={pausedUntil} />.
    </div>
  );
};

/** Counts down. Screen readers have heard the sentence once. */
const Seconds = ({ until }: { readonly until: number }): ReactNode => {
  const [now, setNow] = useState(() => Date.now() / 1_000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1_000), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <span aria-hidden="true">{duration(Math.max(1, Math.ceil(until - now)))}</span>;
};
