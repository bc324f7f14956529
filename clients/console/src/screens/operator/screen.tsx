import './operator.css';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { almanac } from '../../api/client.js';
import { clockOf } from '../../format/time.js';
import { Page } from '../../layout/page.js';
import { ActionFault } from '../../states/action-fault.js';
import { Result } from '../../states/result.js';
import { DeadLetters } from './dead-letters.js';
import { Faults } from './faults.js';
import { Processes } from './processes.js';
import { Backlog, Streams } from './streams.js';

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
