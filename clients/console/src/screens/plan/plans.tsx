import type { Plan } from '@almanac/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { almanac } from '../../api/client.js';
import { goToPayment } from '../../api/payment.js';
import { priceOfMonth } from '../../format/money.js';
import { count } from '../../format/numbers.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { Table } from '../../parts/table.js';
import { ActionFault } from '../../states/action-fault.js';

type Offer = Plan['plans'][number];
type SoldPlan = Parameters<typeof almanac.billing.upgrade>[0];

const columns = [
  'Plan',
  '#Price',
  '#Requests a minute',
  '#Exports a day',
  '#API keys',
  'Exports of any event',
  'Order books',
  '',
];

/** What each plan costs and has, and the change to a larger one. */
export const Plans = ({ answer: { plan, plans } }: { readonly answer: Plan }): ReactNode => {
  const client = useQueryClient();
  const upgrade = useMutation({
    mutationFn: (id: SoldPlan) => almanac.billing.upgrade(id),
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
  // The plan of operators is larger than all of these.
  const own = plans.findIndex(({ id }) => id === plan.id);
  const larger = own < 0 ? [] : plans.slice(own + 1);
  return (
    <section className="card" aria-label="All plans">
      <header>
        <h2>All plans</h2>
        <button type="button" onClick={() => portal.mutate()} disabled={portal.isPending}>
          Invoices and payment
        </button>
      </header>
      <Table label="Plans with their prices and limits" columns={columns} isCard={false}>
        {plans.map((offer) => (
          <OfferRow key={offer.id} offer={offer}>
            {offer.id === plan.id ? (
              <span className="tag" data-tone="accent">
                your plan
              </span>
            ) : null}
            {larger.includes(offer) && isSold(offer.id) ? (
              <Change offer={offer} disabled={upgrade.isPending} onChange={upgrade.mutate} />
            ) : null}
          </OfferRow>
        ))}
      </Table>
      <div className="body">
        {larger.length === 0 ? <p>There is no larger plan than yours.</p> : null}
        {upgrade.data === undefined ? null : <Upgraded checkoutUrl={upgrade.data.checkout_url} />}
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

const isSold = (id: Offer['id']): id is SoldPlan => id !== 'free';

const limit = (value: number | null): string => (value === null ? 'no limit' : count(value));
const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

const OfferRow = ({ offer, children }: { readonly offer: Offer; readonly children: ReactNode }): ReactNode => (
  <tr data-plan={offer.id}>
    <td>{offer.name}</td>
    <td className="number">{priceOfMonth(offer.price)}</td>
    <td className="number">{limit(offer.requests_per_minute)}</td>
    <td className="number">{limit(offer.exports_per_day)}</td>
    <td className="number">{limit(offer.api_keys)}</td>
    <td>{yesNo(offer.export_included)}</td>
    <td>{yesNo(offer.full_book)}</td>
    <td className="actions">{children}</td>
  </tr>
);

interface ChangeProps {
  readonly offer: Offer;
  readonly disabled: boolean;
  readonly onChange: (id: SoldPlan) => void;
}

const Change = ({ offer: { id, name, price }, disabled, onChange }: ChangeProps): ReactNode => (
  <ConfirmButton
    label={`Change to ${name}`}
    question={`Change to ${name} for ${priceOfMonth(price)}?`}
    disabled={disabled}
    onConfirm={() => {
      if (isSold(id)) onChange(id);
    }}
  />
);

const Upgraded = ({ checkoutUrl }: { readonly checkoutUrl: string | null }): ReactNode => (
  <p role="status" className="notice">
    {checkoutUrl === null
      ? 'The plan has changed. This server has no payment provider, so nothing was charged.'
      : 'You are being led to the payment page.'}
  </p>
);
