import { type ReactNode, useId } from 'react';
import { count } from '../../format/numbers.js';

interface MeterProps {
  readonly title: string;
  readonly used: number;
  /** Null: without a limit. */
  readonly limit: number | null;
  readonly hint?: string | undefined;
}

/** How much of a limit is used. */
export const Meter = ({ title, used, limit, hint }: MeterProps): ReactNode => {
  const id = useId();
  return (
    <div className="meter" data-meter={title}>
      <div className="meter-head">
        <span id={id}>{title}</span>
        <span className="number">
          {count(used)} of {limit === null ? 'any number' : count(limit)}
        </span>
      </div>
      {limit === null ? null : (
        <meter aria-labelledby={id} min={0} max={Math.max(1, limit)} high={limit * 0.8} value={used}>
          {used} of {limit}
        </meter>
      )}
      {hint === undefined ? null : <span className="hint">{hint}</span>}
    </div>
  );
};
