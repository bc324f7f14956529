import type { OperatorStatus } from '@almanac/client';
import type { ReactNode } from 'react';
import { count } from '../../format/numbers.js';
import { dateTime } from '../../format/time.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Table } from '../../parts/table.js';

type Letters = Pick<OperatorStatus, 'dead_letters' | 'unreadable' | 'streams'>;
type OfConsumer = OperatorStatus['dead_letters'][number];

const list = 'npm run almanac -- dead-letters';
const columns = ['Consumer', '#Count', 'Newest', 'Message and reason', 'Process it again'];

/** Messages that no delivery could process. They are handled on the command line. */
export const DeadLetters = ({ status }: { readonly status: Letters }): ReactNode => {
  const { dead_letters, unreadable, streams } = status;
  // Any service with consumers reports the stream.
  const isKnown = streams.some(({ stream }) => stream === 'DEAD');
  const total = dead_letters.reduce((sum, one) => sum + one.count, 0) + unreadable.count;
  return (
    <section className="card" aria-label="Dead letters" data-dead-letters={total}>
      <header>
        <h2>Dead letters</h2>
        <span className="tag" data-tone={isKnown ? (total === 0 ? 'good' : 'bad') : 'warn'}>
          {isKnown ? (total === 0 ? 'none' : count(total)) : 'unknown'}
        </span>
      </header>
      {total === 0 ? (
        <p className="body">{isKnown ? 'No event waits to be handled by you.' : 'No service has reported them.'}</p>
      ) : (
        <p className="body">
          They are stored for 30 days. <Command text={list} what="the command that lists them" /> shows each with its
          reason.
        </p>
      )}
      {dead_letters.length === 0 ? null : (
        <Table label="Dead letters by consumer" columns={columns} isCard={false}>
          {dead_letters.map((one) => (
            <LetterRow key={one.consumer} letters={one} />
          ))}
        </Table>
      )}
      {unreadable.count === 0 ? null : <Unreadable unreadable={unreadable} />}
    </section>
  );
};

const LetterRow = ({ letters: { consumer, count: n, newest } }: { readonly letters: OfConsumer }): ReactNode => (
  <tr data-letters={consumer}>
    <td>{consumer}</td>
    <td className="number">{count(n)}</td>
    {newest === null ? (
      <td colSpan={3} className="name">
        Its service does not answer, so the newest one is unknown here.
      </td>
    ) : (
      <>
        <td>{dateTime(Math.floor(newest.stored_ts))}</td>
        <td className="name">
          <code>{newest.subject}</code> ({newest.sequence})<div className="hint">{newest.reason}</div>
        </td>
        <td>
          <Command text={`${list} retry ${newest.number}`} what={`the command for dead letter ${newest.number}`} />
        </td>
      </>
    )}
  </tr>
);

const Unreadable = ({ unreadable: { count: n, examples } }: Pick<Letters, 'unreadable'>): ReactNode => (
  <p className="body" data-unreadable={n}>
    {n === 1 ? 'One message is not an event' : `${count(n)} messages are not events`}:{' '}
    {examples.map(({ stream, sequence }) => `${stream} ${sequence}`).join(', ')}
    {n > examples.length ? ' and others' : ''}. Find out who wrote {n === 1 ? 'it' : 'them'}. Then{' '}
    <Command text={`${list} acknowledge all`} what="the command that acknowledges them" /> ends the alert.
  </p>
);

const Command = ({ text, what }: { readonly text: string; readonly what: string }): ReactNode => (
  <span className="command">
    <code>{text}</code>
    <CopyButton text={text} what={what} />
  </span>
);
