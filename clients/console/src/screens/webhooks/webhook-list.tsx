import type { Webhook, WebhookWithSecret } from '@almanac/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { almanac } from '../../api/client.js';
import { minuteOf } from '../../format/time.js';
import { Page } from '../../layout/page.js';
import { textIn } from '../../parts/form.js';
import { Table } from '../../parts/table.js';
import { Link } from '../../parts/link.js';
import { Secret } from '../../parts/secret.js';
import { ActionFault } from '../../states/action-fault.js';
import { Empty } from '../../states/empty.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';

const eventTypes = [
  'export.ready',
  'export.failed',
  'export.created',
  'export.cancelled',
  'market.settled',
  'market.data_changed',
] as const;

export const WebhookList = (): ReactNode => {
  const client = useQueryClient();
  const list = useQuery({ queryKey: ['webhooks'], queryFn: ({ signal }) => almanac.webhooks.list({ signal }) });
  const [created, setCreated] = useState<WebhookWithSecret>();
  if (list.isPending)
    return (
      <Page title="Webhooks">
        <Loading what="the webhooks" />
      </Page>
    );
  if (list.isError) {
    return (
      <Page title="Webhooks">
        <Failure error={list.error} onRetry={() => list.refetch()} />
      </Page>
    );
  }
  const { webhooks, limit } = list.data;
  return (
    <Page title="Webhooks">
      <p className="lead">
        The server calls your address when something happens, signed with a secret. {webhooks.length} of {limit}.
      </p>
      {typeof created?.secret === 'string' ? (
        <Secret title="The secret of the webhook" secret={created.secret} onDone={() => setCreated(undefined)}>
          <p className="hint">Your receiver verifies each delivery with it.</p>
        </Secret>
      ) : null}
      <NewWebhook
        onCreated={(webhook) => {
          setCreated(webhook);
          void client.invalidateQueries({ queryKey: ['webhooks'] });
        }}
      />
      {webhooks.length === 0 ? (
        <Empty title="No webhooks yet">
          Add an address above, such as one of your server that loads ready exports.
        </Empty>
      ) : (
        <WebhookTable webhooks={webhooks} />
      )}
    </Page>
  );
};

const NewWebhook = ({ onCreated }: { readonly onCreated: (webhook: WebhookWithSecret) => void }): ReactNode => {
  const create = useMutation({
    mutationFn: (body: Parameters<typeof almanac.webhooks.create>[0]) => almanac.webhooks.create(body),
    onSuccess: onCreated,
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const given = new FormData(form).getAll('event');
    const body = {
      url: textIn(form, 'url'),
      events: eventTypes.filter((type) => given.includes(type)),
      series: wordsIn(textIn(form, 'series')),
      tickers: wordsIn(textIn(form, 'tickers')),
      description: textIn(form, 'description'),
    };
    create.mutate(body, { onSuccess: () => form.reset() });
  };
  return (
    <form className="card" onSubmit={submit}>
      <header>
        <h2>New webhook</h2>
      </header>
      <div className="body fields-column">
        <div className="field">
          <label htmlFor="webhook-url">Address</label>
          <input id="webhook-url" name="url" type="url" required placeholder="https://example.org/almanac" />
        </div>
        <fieldset>
          <legend>Events</legend>
          <div className="choices">
            {eventTypes.map((type) => (
              <label key={type}>
                <input type="checkbox" name="event" value={type} defaultChecked={type === 'export.ready'} />
                <code>{type}</code>
              </label>
            ))}
          </div>
        </fieldset>
        <Filters />
        <div className="buttons">
          <button type="submit" className="primary" disabled={create.isPending}>
            Create
          </button>
        </div>
        <ActionFault error={create.error} />
      </div>
    </form>
  );
};

const Filters = (): ReactNode => (
  <div className="fields">
    <div className="field">
      <label htmlFor="webhook-series">Only series (for market events)</label>
      <input id="webhook-series" name="series" placeholder="KXBTC15M" />
    </div>
    <div className="field">
      <label htmlFor="webhook-tickers">Only markets</label>
      <input id="webhook-tickers" name="tickers" />
    </div>
    <div className="field">
      <label htmlFor="webhook-description">Description</label>
      <input id="webhook-description" name="description" maxLength={200} />
    </div>
  </div>
);

const wordsIn = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

const WebhookTable = ({ webhooks }: { readonly webhooks: readonly Webhook[] }): ReactNode => (
  <Table label="All webhooks" columns={['Address', 'Status', 'Events', 'Created']}>
    {webhooks.map((webhook) => (
      <tr key={webhook.id} data-webhook={webhook.id}>
        <td>
          <Link to={`/webhooks/${encodeURIComponent(webhook.id)}`}>{webhook.url}</Link>
          {webhook.description === '' ? null : (
            <div className="hint" dir="auto">
              {webhook.description}
            </div>
          )}
        </td>
        <td>
          <span className="tag" data-tone={webhook.status === 'enabled' ? 'good' : 'bad'}>
            {webhook.status}
          </span>
        </td>
        <td>{webhook.events.join(', ')}</td>
        <td>{minuteOf(webhook.created_ts)}</td>
      </tr>
    ))}
  </Table>
);
