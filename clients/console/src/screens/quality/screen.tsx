import './quality.css';
import { ApiError } from '@almanac/client';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { archiveAt } from '../../api/client.js';
import { Page } from '../../layout/page.js';
import { textIn } from '../../parts/form.js';
import { Link } from '../../parts/link.js';
import { Empty } from '../../states/empty.js';
import { Result } from '../../states/result.js';
import { Calendar } from './calendar.js';
import { DayMarkets } from './day-markets.js';
import { daysMax, type Days, shifted, type QualityAddress, type TargetKind, useQualityAddress } from './target.js';

/** What was recorded of a series, a category or a venue, day by day, and the markets of a day with their gaps. */
export const Screen = (): ReactNode => {
  const address = useQualityAddress();
  const { target, days } = address;
  const title = target === undefined ? 'Coverage' : `Coverage of ${target.id}`;
  return (
    <Page title={title}>
      <TargetForm key={JSON.stringify([target, days])} address={address} />
      {target === undefined ? (
        <Empty title="No target is chosen">
          Choose a series, a category or a venue above. Each day is then a field with the share that was recorded.
        </Empty>
      ) : (
        <Chosen address={{ ...address, target }} />
      )}
    </Page>
  );
};

const kindNames: Readonly<Record<TargetKind, string>> = { series: 'Series', category: 'Category', venue: 'Venue' };
const isKind = (text: string): text is TargetKind => text in kindNames;

/** It begins anew with each address. */
const TargetForm = ({ address: { target, days, open } }: { readonly address: QualityAddress }): ReactNode => {
  const ids = useId();
  const [kind, setKind] = useState<TargetKind>(target?.kind ?? 'series');
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    open({ kind, id: textIn(form, 'id') }, { from: textIn(form, 'from'), to: textIn(form, 'to') });
  };
  return (
    <form className="filters quality-target" onSubmit={submit}>
      <label htmlFor={`${ids}-kind`}>Of a</label>
      <select id={`${ids}-kind`} value={kind} onChange={({ target: { value } }) => isKind(value) && setKind(value)}>
        {Object.entries(kindNames).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <KnownIds kind={kind} list={`${ids}-known`} />
      <input
        name="id"
        type="search"
        required
        aria-label={`Id of the ${kind}`}
        placeholder={`Id of the ${kind}`}
        list={`${ids}-known`}
        defaultValue={target?.kind === kind ? target.id : ''}
        key={kind}
      />
      <span className="pair">
        <label htmlFor={`${ids}-from`}>From</label>
        <input id={`${ids}-from`} name="from" type="date" required defaultValue={days.from} />
      </span>
      <span className="pair">
        <label htmlFor={`${ids}-to`}>to</label>
        <input id={`${ids}-to`} name="to" type="date" required defaultValue={days.to} />
      </span>
      <button type="submit">Show</button>
    </form>
  );
};

/** Ids to choose from. There are few categories; series and venues are typed. */
const KnownIds = ({ kind, list }: { readonly kind: TargetKind; readonly list: string }): ReactNode => {
  const asOf = useAsOf();
  const { data } = useQuery({
    queryKey: ['categories', asOf],
    queryFn: ({ signal }) => archiveAt(asOf).categories.list({ signal }),
    enabled: kind === 'category',
  });
  const categories = kind === 'category' ? (data?.categories ?? []) : [];
  return (
    <datalist id={list}>
      {categories.map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </datalist>
  );
};

const withoutNearest: Readonly<Record<TargetKind, string>> = {
  series: 'Search for it above. Ids are case-sensitive.',
  category: 'Choose one of the list.',
  venue: 'A market has no venue until a source states it: import markets of an earlier release again.',
};

/** That the server does not know the id, and the nearest one. Undefined for any other answer. */
const unknownTarget = (error: unknown, kind: TargetKind): { readonly nearest: string | undefined } | undefined => {
  if (!(error instanceof ApiError)) return undefined;
  const field = error.fields.find(({ type, loc }) => type === 'value_error' && loc.at(-1) === kind);
  return field && { nearest: /Did you mean (\S+)\?/.exec(field.msg)?.[1] };
};

type ChosenAddress = QualityAddress & { readonly target: NonNullable<QualityAddress['target']> };

const Chosen = ({ address }: { readonly address: ChosenAddress }): ReactNode => {
  const { target, days, day, open } = address;
  const asOf = useAsOf();
  const query = useQuery({
    queryKey: ['quality', asOf, target, days],
    queryFn: ({ signal }) => {
      const params = { [target.kind]: target.id, ...days, by: 'day', sort: 'time', limit: daysMax } as const;
      return archiveAt(asOf).qualityByPeriod(params, { signal }).firstPage();
    },
  });
  const show = (shown: Days): void => open(target, shown);
  const unknown = unknownTarget(query.error, target.kind);
  if (unknown !== undefined) {
    const { nearest } = unknown;
    return (
      <Empty title={`The archive has no ${target.kind} ${target.id}`}>
        {nearest === undefined ? withoutNearest[target.kind] : null}
        {nearest === undefined ? null : (
          <>
            Did you mean <Link to={`/quality?${target.kind}=${encodeURIComponent(nearest)}`}>{nearest}</Link>?
          </>
        )}
      </Empty>
    );
  }
  return (
    <>
      <div className="filters">
        <button type="button" onClick={() => show(shifted(days, -1))}>
          ‹ Earlier days
        </button>
        <button type="button" onClick={() => show(shifted(days, 1))}>
          Later days ›
        </button>
      </div>
      <Result query={query} what="the calendar">
        {(answer) =>
          answer.markets_n === 0 ? (
            <Empty title="No market was open in these days">
              {answer.notices?.map(({ detail }) => detail).join(' ') ?? 'Choose other days.'}
            </Empty>
          ) : (
            <Calendar answer={answer} chosen={day} onChoose={(one) => open(target, days, one)} />
          )
        }
      </Result>
      {day === undefined ? null : <DayMarkets key={day} target={target} day={day} />}
    </>
  );
};
