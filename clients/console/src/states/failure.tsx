import { ApiError, ConnectionError } from '@almanac/client';
import { type ReactNode, useEffect, useState } from 'react';
import { almanacErrorOf } from '../api/query-client.js';
import { errorTextOf } from '../api/error-texts.js';
import { duration } from '../format/time.js';

interface FailureProps {
  readonly error: unknown;
  /** Tries again. Without it, there is no button. */
  readonly onRetry?: (() => unknown) | undefined;
}

/** Every error of a call: what happened, what to do, and the names by which it is found in documents and logs. */
export const Failure = ({ error, onRetry }: FailureProps): ReactNode => {
  const fault = almanacErrorOf(error);
  if (fault instanceof ApiError && isPassing(fault)) return <Passing error={fault} onRetry={onRetry} />;
  if (fault instanceof ConnectionError) return <Offline error={fault} onRetry={onRetry} />;
  const { title, remedy, facts } = errorTextOf(fault);
  return (
    <section className="state" data-state="error" role="alert">
      <h2>{title}</h2>
      {facts === undefined ? null : <p>{facts}</p>}
      <p>{remedy}</p>
      <Names code={fault.code} requestId={fault.request_id} />
      {onRetry === undefined ? null : <RetryButton onRetry={onRetry} />}
    </section>
  );
};

const Names = ({ code, requestId }: { readonly code: string; readonly requestId: string | null }): ReactNode => (
  <p className="names">
    <span>
      Code <code>{code}</code>
    </span>
    {requestId === null ? null : (
      <span>
        Request <code>{requestId}</code>
      </span>
    )}
  </p>
);

const RetryButton = ({ onRetry }: { readonly onRetry: () => unknown }): ReactNode => (
  <button type="button" onClick={() => void onRetry()}>
    Try again
  </button>
);

/** The connection banner tries by itself, and refetches when the gateway answers. */
const Offline = ({
  error,
  onRetry,
}: {
  readonly error: ConnectionError;
  readonly onRetry?: FailureProps['onRetry'];
}) => (
  <section className="state" data-state="offline" role="alert">
    <h2>The server does not answer</h2>
    <p>The page goes on by itself as soon as the server answers. Check your connection if it takes long.</p>
    <Names code={error.code} requestId={null} />
    {onRetry === undefined ? null : <RetryButton onRetry={onRetry} />}
  </section>
);

/** Limits and parts that are away: the server says when it goes on. */
const isPassing = ({ status, code }: ApiError): boolean => status === 429 || code === 'unavailable';

const Passing = ({ error, onRetry }: { readonly error: ApiError; readonly onRetry?: FailureProps['onRetry'] }) => {
  const left = useCountdown(error);
  const { title, remedy } = errorTextOf(error);
  useEffect(() => {
    if (left === 0) onRetry?.();
    // Each countdown tries once.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [left === 0]);
  const isLimit = error.code === 'rate_limited';
  return (
    <section className="state" data-state={error.status === 429 ? 'rate-limited' : 'unavailable'}>
      {/* Without the seconds, which a screen reader would say one by one. */}
      <div role="status">
        <h2>{title}</h2>
      </div>
      <p>
        {left > 0 ? `The page goes on in ${duration(left)}.` : 'Trying again.'}{' '}
        {isLimit ? 'Your plan limits the requests of each minute. A larger plan has more.' : null}
        {error.status === 429 && !isLimit ? remedy : null}
      </p>
      <Names code={error.code} requestId={error.request_id} />
    </section>
  );
};

/** Whole seconds until the time that the server named. */
const useCountdown = (error: ApiError): number => {
  const [state, setState] = useState({ error, left: error.retryAfter ?? 5 });
  if (state.error !== error) setState({ error, left: error.retryAfter ?? 5 });
  useEffect(() => {
    const timer = setInterval(
      () => setState((now) => (now.error === error ? { error, left: Math.max(0, now.left - 1) } : now)),
      1_000,
    );
    return () => clearInterval(timer);
  }, [error]);
  return state.left;
};
