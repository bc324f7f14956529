import './operator.css';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { almanac } from '../../api/client.js';
import { clockOf } from '../../format/time.js';
import { Page } from '../../layout/page.js';
import { ActionFault } from '../../states/action-fault.js';
import { Result } from '../../states/result.js';
import { Load } from './load.js';
import { DeadLetters } from './dead-letters.js';
import { Processes } from './processes.js';
import { Backlog, Streams } from './streams.js';
import type { OperatorStatus } from '@almanac/client';

const everyMs = 5_000;

/** The state of the running system, read again every few seconds while the tab is visible. */
export const Screen = (): ReactNode => {
  const status = useQuery({
    queryKey: ['operator', 'status'],
    queryFn: ({ signal }) => almanac.operator.status({ signal }),
    staleTime: 0,
    refetchInterval: everyMs,
    refetchIntervalInBackground: false,
    // A tab that was hidden shows the present at once.
    refetchOnWindowFocus: true,
  });
  const { data } = status;
  return (
    <Page
      title="Operator"
      actions={
        data === undefined ? undefined : <span className="hint">read at {clockOf(Math.floor(data.ts))} UTC</span>
      }
    >
      {data === undefined ? null : <ActionFault error={status.error} />}
      <Result query={status} what="the state of the system">
        {(seen) => (
          <div className="operator">
            <Faults faults={seen.faults} />
            <Load />
            <Processes status={seen} />
            <Backlog status={seen} />
            <DeadLetters status={seen} />
            <Streams status={seen} />
            <p className="hint">
              NATS {seen.nats_version}. On the command line, <code>npm run almanac -- status --watch</code> shows rates,
              and <code>npm run almanac -- doctor</code> also checks disks and asks NATS about every stream itself.
            </p>
          </div>
        )}
      </Result>
    </Page>
  );
};

/** What is wrong and what to do, most urgent first. */
const Faults = ({ faults }: Pick<OperatorStatus, 'faults'>): ReactNode => (
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
