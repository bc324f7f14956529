import type { OperatorStatus } from '@almanac/client';
import type { ReactNode } from 'react';

/** What is wrong and what to do, most urgent first. */
export const Faults = ({ faults }: Pick<OperatorStatus, 'faults'>): ReactNode => (
  <section className="card" aria-label="Problems" data-problems={faults.length}>
    <header>
      <h2>Problems</h2>
      <span className="tag" data-tone={faults.length === 0 ? 'good' : 'bad'}>
        {faults.length === 0 ? 'none' : faults.length}
      </span>
    </header>
    {faults.length === 0 ? (
      <p className="body">Every service answers, and nothing waits for you.</p>
    ) : (
      <ul className="problems">
        {faults.map(({ fault, remedy }) => (
          <li key={fault}>
            <strong>{fault}</strong>
            <span>{remedy}</span>
          </li>
        ))}
      </ul>
    )}
  </section>
);
