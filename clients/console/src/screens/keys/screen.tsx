import type { ApiKey, CreatedKey } from '@almanac/client';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { almanac } from '../../api/client.js';
import { useSession } from '../../api/use-session.js';
import { count } from '../../format/numbers.js';
import { dateTime, fromInput, minuteOf } from '../../format/time.js';
import { Page } from '../../layout/page.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { textIn } from '../../parts/form.js';
import { Secret } from '../../parts/secret.js';
import { Table } from '../../parts/table.js';
import { ActionFault } from '../../states/action-fault.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';

const listKey = ['keys'];

/** The keys of the account: create, show once, revoke. */
export const Screen = (): ReactNode => {
  const client = useQueryClient();
  const keys = useInfiniteQuery({
    queryKey: listKey,
    queryFn: ({ pageParam }) => almanac.keys.list({ cursor: pageParam }).firstPage(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const [created, setCreated] = useState<CreatedKey>();
  const revoke = useMutation({
    mutationFn: (id: string) => almanac.keys.revoke(id),
    onSettled: () => client.invalidateQueries({ queryKey: listKey }),
  });
  const done = (key: CreatedKey): void => {
    setCreated(key);
    void client.invalidateQueries({ queryKey: listKey });
  };
  if (keys.isPending)
    return (
      <Page title="Keys">
        <Loading what="the keys" />
      </Page>
    );
  if (keys.isError) {
    return (
      <Page title="Keys">
        <Failure error={keys.error} onRetry={() => keys.refetch()} />
      </Page>
    );
  }
  const all = keys.data.pages.flatMap((page) => page.keys);
  const active = all.filter(({ status }) => status === 'active').length;
  const limit = keys.data.pages[0]?.limit ?? null;
  return (
    <Page title="Keys">
      <p className="lead">
        A key is how a program reads the archive. {count(active)} of {limit === null ? 'any number' : count(limit)}{' '}
        active.
      </p>
      {typeof created?.secret === 'string' ? (
        <Secret title={`The key “${created.name}”`} secret={created.secret} onDone={() => setCreated(undefined)}>
          <p className="hint">
            Try it: <code>{`curl -H "Authorization: Bearer …" ${location.origin}/api/v1/plan`}</code>
          </p>
        </Secret>
      ) : null}
      <NewKey onCreated={done} />
      <ActionFault error={revoke.error} />
      <KeyTable keys={all} onRevoke={(id) => revoke.mutate(id)} />
      {keys.hasNextPage ? (
        <button type="button" onClick={() => void keys.fetchNextPage()} disabled={keys.isFetchingNextPage}>
          Show older keys
        </button>
      ) : null}
    </Page>
  );
};

const NewKey = ({ onCreated }: { readonly onCreated: (key: CreatedKey) => void }): ReactNode => {
  const create = useMutation({
    mutationFn: (body: { name: string; as_of?: number }) => almanac.keys.create(body),
    onSuccess: onCreated,
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const asOf = fromInput(textIn(form, 'as_of'));
    const name = textIn(form, 'name');
    create.mutate({ name, ...(asOf === undefined ? {} : { as_of: asOf }) }, { onSuccess: () => form.reset() });
  };
  return (
    <form className="card" onSubmit={submit}>
      <header>
        <h2>New key</h2>
      </header>
      <div className="body fields">
        <div className="field">
          <label htmlFor="key-name">Name</label>
          <input id="key-name" name="name" maxLength={100} required placeholder="backtest on my laptop" />
        </div>
        <div className="field">
          <label htmlFor="key-as-of">Reads as of (UTC, optional)</label>
          <input id="key-as-of" name="as_of" type="datetime-local" step="1" aria-describedby="key-as-of-hint" />
        </div>
        <button type="submit" className="primary" disabled={create.isPending}>
          Create
        </button>
        <p id="key-as-of-hint" className="hint">
          A key with a time sees only what was known then: for an agent, or a backtest that must not look ahead. It
          cannot buy anything.
        </p>
        <ActionFault error={create.error} />
      </div>
    </form>
  );
};

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  readonly onRevoke: (id: string) => void;
}

const KeyTable = ({ keys, onRevoke }: KeyTableProps): ReactNode => {
  const own = useSession()?.key_id;
  return (
    <Table label="All keys" columns={['Name', 'Key', 'Status', 'Reads as of', 'Created', 'Last used', '']}>
      {keys.map((key) => (
        <tr key={key.id} data-key={key.id}>
          <td className="name" dir="auto">
            {key.name}
          </td>
          <td>
            <code>{`${key.prefix}…${key.last4}`}</code>
          </td>
          <td>
            <span className="tag" data-tone={key.status === 'active' ? 'good' : undefined}>
              {key.status}
            </span>{' '}
            {key.id === own ? (
              <span className="tag" data-tone="accent">
                this session
              </span>
            ) : null}
          </td>
          <td>{key.as_of === null ? 'the present' : dateTime(key.as_of)}</td>
          <td>{minuteOf(key.created_ts)}</td>
          <td>{key.last_used_ts === null ? 'never' : minuteOf(key.last_used_ts)}</td>
          <td className="actions">
            {key.status === 'revoked' ? (
              minuteOf(key.revoked_ts)
            ) : (
              <ConfirmButton
                label="Revoke"
                className="danger"
                question={
                  key.id === own ? 'This signs you out. Revoke?' : 'Programs with it stop within a second. Revoke?'
                }
                onConfirm={() => onRevoke(key.id)}
              />
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
};
