import { useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { signOut } from '../api/sign-out.js';
import { useSession } from '../api/use-session.js';
import { useWatchedSession } from '../api/watch-session.js';
import { minuteOf } from '../format/time.js';
import { Link } from '../parts/link.js';
import { ActionFault } from '../states/action-fault.js';
import { openTour } from '../tour/tour-state.js';

/** Whose session this is, and how to end it. */
export const AccountMenu = (): ReactNode => {
  useWatchedSession();
  const session = useSession();
  const details = useRef<HTMLDetailsElement>(null);
  const { mutate, error, isPending } = useMutation({ mutationFn: signOut });
  const close = (): void => details.current?.removeAttribute('open');
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key !== 'Escape') return;
    close();
    details.current?.querySelector('summary')?.focus();
  };
  if (session === null || session === undefined) return null;
  return (
    <details className="account" ref={details} onKeyDown={onKeyDown}>
      <summary>Account</summary>
      <div className="account-panel">
        <dl className="facts">
          <dt>Plan</dt>
          <dd>{session.plan}</dd>
          <dt>Key</dt>
          <dd>
            <code>{session.key_id}</code>
          </dd>
          {session.as_of === null ? null : (
            <>
              <dt>Reads as of</dt>
              <dd>{minuteOf(session.as_of)}</dd>
            </>
          )}
          <dt>Session until</dt>
          <dd>{minuteOf(session.expires_ts)}</dd>
        </dl>
        <div className="buttons">
          <Link to="/plan" className="button" onClick={close}>
            Plan and usage
          </Link>
          <button
            type="button"
            onClick={() => {
              close();
              openTour();
            }}
          >
            Take the tour
          </button>
          <button type="button" onClick={() => mutate()} disabled={isPending}>
            Sign out
          </button>
        </div>
        <ActionFault error={error} />
      </div>
    </details>
  );
};
