import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { almanac } from '../../api/client.js';
import { dateTime } from '../../format/time.js';
import { Table } from '../../parts/table.js';
import { ActionFault } from '../../states/action-fault.js';
import { Empty } from '../../states/empty.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';

const pollMs = 3_000;

/** The log of attempts. It is read again while it is open, because attempts follow an event by seconds. */
export const Deliveries = ({ id }: { readonly id: string }): ReactNode => {
  const client = useQueryClient();
  const queryKey = ['webhooks', id, 'deliveries'];
  const log = useQuery({
    queryKey,
    queryFn: ({ signal }) => almanac.webhooks.deliveries(id, { limit: 100 }, { signal }).firstPage(),
    refetchInterval: pollMs,
  });
  const redeliver = useMutation({
    mutationFn: (delivery: string) => almanac.webhooks.redeliver(id, delivery),
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
  if (log.isPending) return <Loading what="the deliveries" />;
  if (log.isError) return <Failure error={log.error} onRetry={() => log.refetch()} />;
  const { deliveries } = log.data;
  if (deliveries.length === 0) {
    return <Empty title="Nothing was delivered yet">Send a test, or wait for the first event.</Empty>;
  }
  return (
    <section className="card" aria-label="Deliveries">
      <header>
        <h2>Deliveries</h2>
        <span className="hint">the newest 100 attempts of 30 days</span>
      </header>
      <ActionFault error={redeliver.error} />
      <Table label="Attempts" columns={['Sent', 'Event', 'Of', '#Attempt', 'Answer', '#Took', '']} isCard={false}>
        {deliveries.map((one) => (
          <tr key={`${one.id} ${one.attempt} ${one.sent_ts}`} data-delivery={one.id} data-status={one.status}>
            <td>{dateTime(Math.floor(one.sent_ts))}</td>
            <td>
              <code>{one.type}</code>
            </td>
            <td>{one.object}</td>
            <td className="number">{one.attempt}</td>
            <td className="name">
              <span className="tag" data-tone={one.status === 'succeeded' ? 'good' : 'bad'}>
                {one.response_status ?? 'no answer'}
              </span>{' '}
              {one.error}
              {one.next_attempt_ts === null ? null : (
                <div className="hint">again at {dateTime(Math.floor(one.next_attempt_ts))}</div>
              )}
            </td>
            <td className="number">{one.duration_ms} ms</td>
            <td className="actions">
              <button type="button" disabled={redeliver.isPending} onClick={() => redeliver.mutate(one.id)}>
                Send again
              </button>
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
};
