import type { MarketDetail } from '@almanac/client';
import type { ReactNode } from 'react';
import { decimal } from '../../format/numbers.js';
import { ScrollBox } from '../../parts/scroll-box.js';
import { dateTime } from '../../format/time.js';

/** What the market is about, in the words of the venue. */
export const Rules = ({ rules }: { readonly rules: MarketDetail['rules'] }): ReactNode => (
  <section className="card" aria-label="Rules">
    <header>
      <h2>Rules</h2>
    </header>
    <div className="body">
      {rules === null ? (
        <p className="hint">The source of this market has no rules.</p>
      ) : (
        <>
          <p className="rules" dir="auto">
            {rules.text}
          </p>
          <p className="hint">
            {rules.known_ts === null ? null : `Known since ${dateTime(rules.known_ts)}. `}
            {rules.valid_from_ts === null ? null : `Valid from ${dateTime(rules.valid_from_ts)}.`}
          </p>
        </>
      )}
    </div>
  </section>
);

const timeFields = /_ts$/;

const valueOf = (field: string, value: unknown): string => {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'number') return timeFields.test(field) ? dateTime(value) : decimal(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
};

interface HistoryProps {
  readonly history: MarketDetail['history'];
  readonly hasMore: boolean;
}

/** Each value of the market, with the time from which on it was known. */
export const History = ({ history, hasMore }: HistoryProps): ReactNode => (
  <section className="card" aria-label="History">
    <header>
      <h2>History</h2>
      <span className="hint">When each value became known</span>
    </header>
    {history.length === 0 ? (
      <p className="body hint">No change of this market has a knowledge time.</p>
    ) : (
      <ScrollBox label="Changes of the market" direction="x">
        <table>
          <thead>
            <tr>
              <th scope="col">Known since</th>
              <th scope="col">Field</th>
              <th scope="col">Value</th>
              <th scope="col">By</th>
            </tr>
          </thead>
          <tbody>
            {history.map(({ field, value, known_ts, basis }) => (
              <tr key={`${field} ${known_ts} ${JSON.stringify(value)}`}>
                <td>{dateTime(known_ts)}</td>
                <td>
                  <code>{field}</code>
                </td>
                <td dir="auto" className="wrap">
                  {valueOf(field, value)}
                </td>
                <td>{basis}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    )}
    {hasMore ? <p className="body hint">Older changes are not listed.</p> : null}
  </section>
);
