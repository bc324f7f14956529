import type { OperatorStatus } from '@almanac/client';
import type { ReactNode } from 'react';
import { bytes, count, percent } from '../../format/numbers.js';
import { dateTime } from '../../format/time.js';
import { Table } from '../../parts/table.js';

interface Props {
  readonly status: OperatorStatus;
}

type Consumer = OperatorStatus['consumers'][number];

const backlogColumns = ['Consumer', 'Stream', 'Service', '#Waiting', '#In progress', '#Redelivered', 'Read by'];

/** What waits for a service, the longest queue first. */
export const Backlog = ({ status: { consumers } }: Props): ReactNode => {
  const waiting = consumers.reduce((sum, one) => sum + one.waiting, 0);
  return (
    <section className="card" aria-label="Backlog">
      <header>
        <h2>Backlog</h2>
        <span className="hint" hidden={consumers.length === 0}>
          {waiting === 0
            ? 'no message waits'
            : `${count(waiting)} ${waiting === 1 ? 'message waits' : 'messages wait'}`}
        </span>
      </header>
      {consumers.length === 0 ? (
        <p className="body">No service has reported a consumer.</p>
      ) : (
        <Table label="Consumers and what waits for them" columns={backlogColumns} isCard={false}>
          {consumers.map((one) => (
            <tr key={`${one.stream} ${one.consumer}`} data-consumer={one.consumer}>
              <td>{one.consumer}</td>
              <td>
                <code>{one.stream}</code>
              </td>
              <td>{one.service}</td>
              <td className="number">{count(one.waiting)}</td>
              <td className="number">{count(one.in_progress)}</td>
              <td className="number">{count(one.redelivered)}</td>
              <td>
                <ReadBy consumer={one} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
};

/** A process that works at the limit of its deliveries has no open request, and still reads. */
const ReadBy = ({ consumer }: { readonly consumer: Consumer }): ReactNode => {
  const isRead = consumer.pull_requests > 0 || consumer.in_progress > 0;
  return (
    <span className="tag" data-tone={isRead ? 'good' : 'bad'}>
      {isRead ? 'a process' : 'nobody'}
    </span>
  );
};

const streamColumns = ['Stream', '#Messages', '#Size', '#Of its limit', 'Newest message'];

export const Streams = ({ status: { streams } }: Props): ReactNode => (
  <section className="card" aria-label="Streams">
    <header>
      <h2>Streams</h2>
      <span className="hint">{bytes(streams.reduce((sum, one) => sum + one.bytes, 0))} in NATS</span>
    </header>
    {streams.length === 0 ? (
      <p className="body">No service has reported its streams.</p>
    ) : (
      <Table label="Streams of NATS" columns={streamColumns} isCard={false}>
        {streams.map(({ stream, exists, messages, bytes: size, limit_bytes: limit, newest_ts: newest }) => (
          <tr key={stream} data-stream={stream}>
            <td>
              <code>{stream}</code>
            </td>
            <td className="number">
              {exists ? (
                count(messages)
              ) : (
                <span className="tag" data-tone="bad">
                  missing
                </span>
              )}
            </td>
            <td className="number">{bytes(size)}</td>
            <td className="number">{limit === null ? 'no limit' : percent(size / limit)}</td>
            <td>{newest === null ? '–' : dateTime(Math.floor(newest))}</td>
          </tr>
        ))}
      </Table>
    )}
  </section>
);
