import type { Plan } from '@almanac/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { almanac } from '../../api/client.js';
import { goToPayment } from '../../api/payment.js';
import { useRequestsLeft } from '../../api/requests-left.js';
import { money } from '../../format/money.js';
import { count } from '../../format/numbers.js';
import { minuteOf } from '../../format/time.js';
import { Page } from '../../layout/page.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { ActionFault } from '../../states/action-fault.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import { ExportsOfDays } from './exports-of-days.js';
import { Meter } from './meter.js';

/** The plan, what of it is used, and larger plans. */
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
      <Upgrades current={plan.data.plan.id} />
    </Page>
  );
};

const ThePlan = ({ answer: { plan, entitlements } }: { readonly answer: Plan }): ReactNode => (
  <section className="card" aria-label="Plan">
    <header>
      <h2>{plan.name}</h2>
      <span>{plan.price.amount === 0 ? 'free' : `${money(plan.price)} a month`}</span>
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
          hint={`counted again from ${minuteOf(exports.resets_ts)}`}
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

const larger = [
  { id: 'pro', name: 'Pro', text: 'More requests and exports, each event without buying it.' },
  {
    id: 'full_book',
    name: 'Full book',
    text: 'Everything of Pro, and order books at every depth in reads and exports.',
  },
] as const;

const Upgrades = ({ current }: { readonly current: string }): ReactNode => {
  const client = useQueryClient();
  const upgrade = useMutation({
    mutationFn: (id: (typeof larger)[number]['id']) => almanac.billing.upgrade(id),
    onSuccess: ({ checkout_url }) => {
      if (checkout_url !== null) goToPayment(checkout_url);
      void client.invalidateQueries();
    },
  });
  const portal = useMutation({
    mutationFn: () => almanac.billing.portal(),
    onSuccess: ({ portal_url }) => {
      if (portal_url !== null) goToPayment(portal_url);
    },
  });
  const order = ['free', 'pro', 'full_book', 'internal'];
  const offered = larger.filter(({ id }) => order.indexOf(id) > order.indexOf(current));
  return (
    <section className="card" aria-label="Change the plan">
      <header>
        <h2>Change the plan</h2>
        <button type="button" onClick={() => portal.mutate()} disabled={portal.isPending}>
          Invoices and payment
        </button>
      </header>
      <div className="body">
        {offered.length === 0 ? <p>There is no larger plan than yours.</p> : null}
        <ul className="plain-list">
          {offered.map(({ id, name, text }) => (
            <li key={id} data-plan={id}>
              <span>
                <strong>{name}</strong> {text}
              </span>
              <ConfirmButton
                label={`Change to ${name}`}
                question="The payment page shows the price first. Continue?"
                disabled={upgrade.isPending}
                onConfirm={() => upgrade.mutate(id)}
              />
            </li>
          ))}
        </ul>
        {upgrade.data === undefined ? null : (
          <p role="status" className="notice">
            {upgrade.data.checkout_url === null
              ? 'The plan has changed. This server has no payment provider, so nothing was charged.'
              : 'You are being led to the payment page.'}
          </p>
        )}
        {portal.data?.portal_url === null ? (
          <p role="status" className="notice">
            This server has no payment provider, so there are no invoices.
          </p>
        ) : null}
        <ActionFault error={upgrade.error ?? portal.error} />
      </div>
    </section>
  );
};
