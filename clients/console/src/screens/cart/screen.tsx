import type { Cart, Checkout } from '@almanac/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { almanac } from '../../api/client.js';
import { goToPayment } from '../../api/payment.js';
import { money } from '../../format/money.js';
import { Page } from '../../layout/page.js';
import { ConfirmButton } from '../../parts/confirm-button.js';
import { textIn } from '../../parts/form.js';
import { Table } from '../../parts/table.js';
import { Link, paths } from '../../parts/link.js';
import { ActionFault } from '../../states/action-fault.js';
import { Empty } from '../../states/empty.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';

const cartKey = ['cart'];

/** Events to buy, and what was bought. */
export const Screen = (): ReactNode => {
  const client = useQueryClient();
  const cart = useQuery({ queryKey: cartKey, queryFn: ({ signal }) => almanac.cart.get({ signal }) });
  const [bought, setBought] = useState<Checkout>();
  const show = (next: Cart): void => void client.setQueryData(cartKey, next);
  const checkout = useMutation({
    mutationFn: () => almanac.cart.checkout(),
    onSuccess: (answer) => {
      if (answer.checkout_url !== null) goToPayment(answer.checkout_url);
      setBought(answer);
      void client.invalidateQueries();
    },
  });
  if (cart.isPending)
    return (
      <Page title="Cart">
        <Loading what="the cart" />
      </Page>
    );
  if (cart.isError) {
    return (
      <Page title="Cart">
        <Failure error={cart.error} onRetry={() => cart.refetch()} />
      </Page>
    );
  }
  const { items } = cart.data;
  return (
    <Page title="Cart">
      {bought === undefined ? null : <Bought checkout={bought} />}
      <AddEvent onChanged={show} />
      {items.length === 0 ? (
        <Empty title="The cart is empty">
          An event in the cart can be exported at any time once it is bought. Add one above, or from the{' '}
          <Link to="/exports/new">export wizard</Link>, which says what your plan covers already.
        </Empty>
      ) : (
        <section className="card">
          <Items items={items} onChanged={show} />
          <Total cart={cart.data} checkout={checkout} />
          <ActionFault error={checkout.error} />
        </section>
      )}
    </Page>
  );
};

interface TotalProps {
  readonly cart: Cart;
  readonly checkout: { readonly isPending: boolean; readonly mutate: () => void };
}

/** What the cart costs, with a button if an event of it must be bought. */
const Total = ({ cart: { items, total, remarks }, checkout }: TotalProps): ReactNode => (
  <>
    {remarks?.map((remark) => (
      <p key={remark} className="body hint" data-remark>
        {remark}
      </p>
    ))}
    <footer className="total">
      <span>
        Total <strong data-total>{money(total)}</strong>
      </span>
      {items.some(({ covered_by }) => covered_by === undefined) ? (
        <ConfirmButton
          label={`Buy for ${money(total)}`}
          className="primary"
          question={`Buy ${items.length === 1 ? 'this event' : `these ${items.length} events`}?`}
          disabled={checkout.isPending}
          onConfirm={() => checkout.mutate()}
        />
      ) : null}
    </footer>
  </>
);

const Bought = ({ checkout: { mode, status, unlocked, total } }: { readonly checkout: Checkout }): ReactNode => {
  if (status === 'pending')
    return (
      <p className="notice" role="status">
        You are being led to the payment page.
      </p>
    );
  return (
    <section className="card bought" role="status" data-state="bought">
      <header>
        <h2>Bought for {money(total)}</h2>
        {mode === 'stub' ? (
          <span className="tag" data-tone="warn">
            no payment provider: nothing was charged
          </span>
        ) : null}
      </header>
      <ul className="body plain-list">
        {unlocked.map((event) => (
          <li key={event}>
            <Link to={paths.event(event)}>{event}</Link>
            <Link to={`/exports/new?event=${encodeURIComponent(event)}`} className="button">
              Export
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
};

const AddEvent = ({ onChanged }: { readonly onChanged: (cart: Cart) => void }): ReactNode => {
  const add = useMutation({ mutationFn: (event: string) => almanac.cart.add(event), onSuccess: onChanged });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    add.mutate(textIn(form, 'event'), { onSuccess: () => form.reset() });
  };
  return (
    <form className="row-form" onSubmit={submit}>
      <label htmlFor="cart-event">Event</label>
      <input id="cart-event" name="event" required placeholder="KXBTC15M-26FEB250430" autoComplete="off" />
      <button type="submit" disabled={add.isPending}>
        Add to the cart
      </button>
      {add.data?.already_unlocked === true ? (
        <span role="status" className="hint">
          You own this event already.
        </span>
      ) : null}
      <ActionFault error={add.error} />
    </form>
  );
};

const Items = ({ items, onChanged }: { readonly items: Cart['items']; readonly onChanged: (cart: Cart) => void }) => {
  const remove = useMutation({ mutationFn: (event: string) => almanac.cart.remove(event), onSuccess: onChanged });
  return (
    <>
      <Table label="Events in the cart" columns={['Event', 'Title', '#Price', '']} isCard={false}>
        {items.map(({ event, title, price }) => (
          <tr key={event} data-event={event}>
            <td>
              <Link to={paths.event(event)}>{event}</Link>
            </td>
            <td className="name" dir="auto">
              {title ?? '–'}
            </td>
            <td className="number">{money(price)}</td>
            <td className="actions">
              <button type="button" onClick={() => remove.mutate(event)} aria-label={`Remove ${event}`}>
                Remove
              </button>
            </td>
          </tr>
        ))}
      </Table>
      <ActionFault error={remove.error} />
    </>
  );
};
