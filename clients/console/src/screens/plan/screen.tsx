import type { Plan } from '@almanac/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { almanac } from '../../api/client.js';
import { useRequestsLeft } from '../../api/requests-left.js';
import { priceOfMonth } from '../../format/money.js';
import { count } from '../../format/numbers.js';
import { minuteOf } from '../../format/time.js';
import { Page } from '../../layout/page.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import { ExportsOfDays } from './exports-of-days.js';
import { Plans } from './plans.js';

/** The plan, what of it is used, and what all plans cost. */
export const Screen = (): ReactNode => {
  const plan = useQuery({ queryKey: ['plan'], queryFn: ({ signal }) => almanac.plan.get({ signal }) });
  if (plan.isPending)
    return (
      <Page title="Plan and usage">
        <Loading what="the plan" />
      </Page>
    );
  if (plan.isError) {
    return (
      <Page title="Plan and usage">
        <Failure error={plan.error} onRetry={() => plan.refetch()} />
      </Page>
    );
  }
  return (
    <Page title="Plan and usage">
      <div className="columns">
        <ThePlan answer={plan.data} />
        <Usage answer={plan.data} />
      </div>
      <ExportsOfDays limit={plan.data.entitlements.exports_per_day.limit} />
      <Plans answer={plan.data} />
    </Page>
  );
};

const ThePlan = ({ answer: { plan, entitlements } }: { readonly answer: Plan }): ReactNode => (
  <section className="card" aria-label="Plan">
    <header>
      <h2>{plan.name}</h2>
      <span>{priceOfMonth(plan.price)}</span>
    </header>
    <ul className="body checks">
      <Included yes={true}>Every read of the archive, at any time</Included>
      <Included yes={entitlements.export_included}>Exports of any event without buying it</Included>
      <Included yes={entitlements.l2_export}>Order books in exports</Included>
      <Included yes={entitlements.full_book}>Order books at every depth in reads</Included>
    </ul>
  </section>
);

const Included = ({ yes, children }: { readonly yes: boolean; readonly children: ReactNode }): ReactNode => (
  <li data-yes={yes}>
    <span aria-hidden="true">{yes ? '✓' : '–'}</span>
    <span className="visually-hidden">{yes ? 'Included: ' : 'Not included: '}</span>
    {children}
  </li>
);

const Usage = ({ answer: { entitlements, free_export_credit: credit } }: { readonly answer: Plan }): ReactNode => {
  const { api_keys: keys, exports_per_day: exports, exports_pending: pending } = entitlements;
  const left = useRequestsLeft();
  return (
    <section className="card" aria-label="Usage">
      <header>
        <h2>Usage</h2>
      </header>
      <div className="body meters">
        <Meter
          title="Requests in this minute"
          used={left === undefined ? 0 : left.limit - left.remaining}
          limit={entitlements.requests_per_minute}
          hint={left === undefined ? undefined : `${count(left.remaining)} left`}
        />
        <Meter
          title="Exports today"
          used={exports.used}
          limit={exports.limit}
          hint={`begins again at ${minuteOf(exports.resets_ts)}`}
        />
        <Meter title="Exports in preparation" used={pending.used} limit={pending.limit} />
        <Meter title="API keys" used={keys.used} limit={keys.limit} />
        <Meter
          title="Free export credits"
          used={credit.used}
          limit={credit.granted}
          hint={`${count(credit.remaining)} left`}
        />
      </div>
    </section>
  );
};

interface MeterProps {
  readonly title: string;
  readonly used: number;
  /** Null: without a limit. */
  readonly limit: number | null;
  readonly hint?: string | undefined;
}

/** How much of a limit is used. */
const Meter = ({ title, used, limit, hint }: MeterProps): ReactNode => {
  const id = useId();
  return (
    <div className="meter" data-meter={title}>
      <div className="meter-head">
        <span id={id}>{title}</span>
        <span className="number">
          {count(used)} of {limit === null ? 'any number' : count(limit)}
        </span>
      </div>
      {limit === null ? null : (
        <meter aria-labelledby={id} min={0} max={Math.max(1, limit)} high={limit * 0.8} value={used}>
          {used} of {limit}
        </meter>
      )}
      {hint === undefined ? null : <span className="hint">{hint}</span>}
    </div>
  );
};
