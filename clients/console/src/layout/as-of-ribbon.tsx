import type { ReactNode } from 'react';
import { setAsOf } from '../api/as-of.js';
import { useSession } from '../api/use-session.js';
import { dateTime } from '../format/time.js';

/** Nobody may take the past for the present. */
export const AsOfRibbon = ({ asOf }: { readonly asOf: number }): ReactNode => {
  const isFence = useSession()?.as_of === asOf;
  return (
    <div className="ribbon" role="status">
      <span>
        As known at <time dateTime={new Date(asOf * 1_000).toISOString()}>{dateTime(asOf)}</time>. Later data and later
        knowledge are hidden.
      </span>
      {isFence ? (
        <span>Your key cannot look later.</span>
      ) : (
        <button type="button" onClick={() => setAsOf(undefined)}>
          Back to now
        </button>
      )}
    </div>
  );
};
