import type { Webhook as WebhookAnswer, WebhookWithSecret } from '@almanac/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { almanac } from '../../api/client.js';
import { dateTime } from '../../format/time.js';
import { Page } from '../../layout/page.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { Link } from '../../parts/link.js';
import { Secret } from '../../parts/secret.js';
import { ActionFault } from '../../states/action-fault.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import { Deliveries } from './deliveries.js';

/** One webhook: its state, its actions, and the log of its deliveries. */
export const Webhook = ({ id }: { readonly id: string }): ReactNode => {
  const webhook = useQuery({
    queryKey: ['webhooks', id],
    queryFn: ({ signal }) => almanac.webhooks.get(id, { signal }),
  });
  if (webhook.isPending)
    return (
      <Page title="Webhook">
        <Loading what="the webhook" />
      </Page>
    );
  if (webhook.isError) {
    return (
      <Page title="Webhook">
        <Failure error={webhook.error} onRetry={() => webhook.refetch()} />
      </Page>
    );
  }
  return (
    <Page title={webhook.data.url} actions={<Link to="/webhooks">All webhooks</Link>}>
      <State webhook={webhook.data} />
      <Deliveries id={id} />
    </Page>
  );
};

const useActions = (id: string, onSecret: (answer: WebhookWithSecret) => void) => {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const read = (): void => void client.invalidateQueries({ queryKey: ['webhooks'] });
  return {
    rotate: useMutation({
      mutationFn: () => almanac.webhooks.rotate(id),
      onSuccess: (answer) => {
        onSecret(answer);
        read();
      },
    }),
    enable: useMutation({ mutationFn: () => almanac.webhooks.enable(id), onSuccess: read }),
    test: useMutation({ mutationFn: () => almanac.webhooks.test(id), onSuccess: read }),
    remove: useMutation({
      mutationFn: () => almanac.webhooks.delete(id),
      onSuccess: () => {
        navigate('/webhooks');
        read();
      },
    }),
  };
};

const State = ({ webhook }: { readonly webhook: WebhookAnswer }): ReactNode => {
  const { id } = webhook;
  const [rotated, setRotated] = useState<WebhookWithSecret>();
  const { rotate, enable, test, remove } = useActions(id, setRotated);
  return (
    <>
      {typeof rotated?.secret === 'string' ? (
        <Secret title="The new secret" secret={rotated.secret} onDone={() => setRotated(undefined)}>
          <p className="hint">The secret before signs for another 24 hours, too.</p>
        </Secret>
      ) : null}
      <section className="card" aria-label="State">
        <dl className="body facts">
          <dt>Status</dt>
          <dd>
            <span className="tag" data-tone={webhook.status === 'enabled' ? 'good' : 'bad'}>
              {webhook.status}
            </span>{' '}
            {webhook.disabled_reason}
          </dd>
          <dt>Events</dt>
          <dd>{webhook.events.join(', ')}</dd>
          {webhook.series.length + webhook.tickers.length === 0 ? null : (
            <>
              <dt>Only</dt>
              <dd>{[...webhook.series, ...webhook.tickers].join(', ')}</dd>
            </>
          )}
          <dt>Created</dt>
          <dd>{dateTime(webhook.created_ts)}</dd>
        </dl>
        <div className="body buttons">
          <button type="button" onClick={() => test.mutate()} disabled={test.isPending}>
            Send a test
          </button>
          {webhook.status === 'disabled' ? (
            <button type="button" className="primary" onClick={() => enable.mutate()} disabled={enable.isPending}>
              Enable
            </button>
          ) : null}
          <ConfirmButton label="New secret" question="Replace the secret?" onConfirm={() => rotate.mutate()} />
          <ConfirmButton
            label="Delete"
            className="danger"
            question="Delete it with its deliveries?"
            onConfirm={() => remove.mutate()}
          />
        </div>
        <ActionFault error={rotate.error ?? enable.error ?? test.error ?? remove.error} />
      </section>
    </>
  );
};
