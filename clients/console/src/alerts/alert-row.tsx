import type { ReactNode } from 'react';
import { Link as RouterLink } from 'wouter';
import { conditionText, crossingText, endText, momentPath } from './alert-texts.js';
import type { PriceAlert } from './price-alert.js';

interface AlertRowProps {
  readonly alert: PriceAlert;
  readonly onRemove: () => void;
}

/** One alert: what it waits for, or what it found, with the view of that moment. */
export const AlertRow = ({ alert, onRemove }: AlertRowProps): ReactNode => {
  const { ticker, crossing, ended_ts } = alert;
  const state = crossing !== null ? 'fired' : ended_ts !== null ? 'ended' : 'waiting';
  return (
    <span className="alert-row" data-alert={ticker} data-state={state}>
      <span className="alert-text">
        {crossing === null ? conditionText(alert) : crossingText(alert, crossing)}
        {ended_ts === null ? null : <span className="hint">{endText(ended_ts)}</span>}
      </span>
      {crossing === null ? null : <RouterLink href={momentPath(ticker, crossing)}>Show</RouterLink>}
      <button
        type="button"
        className="icon"
        aria-label={`Remove the alert: ${conditionText(alert)}, ${ticker}`}
        onClick={onRemove}
      >
        ×
      </button>
    </span>
  );
};
