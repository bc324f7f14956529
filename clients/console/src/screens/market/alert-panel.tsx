import type { Market } from '@almanac/client';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { AlertRow } from '../../alerts/alert-row.js';
import { valueNames } from '../../alerts/alert-texts.js';
import { NotificationHint } from '../../alerts/notification-hint.js';
import { alertedValues, isWaiting, priceIn, waitingMax } from '../../alerts/price-alert.js';
import { useSignal } from '../../charts/signal.js';
import { price } from '../../format/numbers.js';
import { textIn } from '../../parts/form.js';
import type { Alerting } from './use-alerting.js';

interface AlertPanelProps {
  readonly market: Market;
  readonly alerting: Alerting;
}

/** Sets alerts of a market by a form, and lists them. */
export const AlertPanel = ({ market, alerting }: AlertPanelProps): ReactNode => {
  const details = useRef<HTMLDetailsElement>(null);
  const draft = useSignal(alerting.draft);
  useEffect(() => {
    if (draft === undefined || details.current === null) return;
    details.current.open = true;
    // Also where a click has opened it: Escape must close it.
    const focused = details.current.querySelector<HTMLElement>(draft.price === undefined ? 'summary' : 'input');
    focused?.focus({ preventScroll: true });
  }, [draft]);
  useEffect(() => {
    const close = ({ target }: PointerEvent): void => {
      if (target instanceof Node && details.current?.contains(target) === false) details.current.open = false;
    };
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, []);
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key !== 'Escape') return;
    details.current?.removeAttribute('open');
    details.current?.querySelector('summary')?.focus();
  };
  const waitingN = alerting.alerts.filter(isWaiting).length;
  return (
    <>
      <details className="copy-as alert-panel" ref={details} onKeyDown={onKeyDown}>
        <summary className="button">
          <Bell />
          <span className="alert-word">Alert</span>
          {waitingN === 0 ? null : <span className="alert-count">{waitingN}</span>}
          {waitingN === 0 ? null : <span className="visually-hidden">waiting</span>}
        </summary>
        <div className="copy-as-panel">
          <AlertForm key={draft?.price} market={market} alerting={alerting} initial={draft?.price} />
          {alerting.alerts.length === 0 ? null : (
            <ul className="alert-list" aria-label="Alerts of this market">
              {alerting.alerts.map((alert) => (
                <li key={alert.id}>
                  <AlertRow alert={alert} onRemove={() => alerting.remove(alert.id)} />
                </li>
              ))}
            </ul>
          )}
          <p className="hint">
            Prices are compared while the console is open in this browser, and once more when you open it again. This
            device keeps the alerts.
          </p>
          <NotificationHint />
        </div>
      </details>
      <span role="status" className="visually-hidden">
        {alerting.said}
      </span>
    </>
  );
};

const Bell = (): ReactNode => (
  <svg className="bell" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
    <path
      d="M8 1.5a4 4 0 0 0-4 4v2.8L2.6 11v.9h10.8V11L12 8.3V5.500a4 4 0 0 0-4-4Zm-1.700 11.700a1.700 1.700 0 0 0 3.400 0Z"
      fill="currentColor"
    />
  </svg>
);

interface AlertFormProps extends AlertPanelProps {
  readonly initial: number | undefined;
}

const AlertForm = ({ market, alerting, initial }: AlertFormProps): ReactNode => {
  const id = useId();
  const [fault, setFault] = useState<string>();
  const { last, canAdd } = alerting;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const at = priceIn(textIn(form, 'price'));
    const of = alertedValues.find((one) => one === textIn(form, 'of')) ?? 'mid';
    if (at === undefined) {
      setFault('A price is between 0 and 1, such as 0.62.');
      form.querySelector('input')?.focus();
      return;
    }
    const seen = last && { value: last.point[of], ts: last.ts };
    alerting.add({ ticker: market.ticker, title: market.title ?? market.ticker, of, price: at, seen });
    alerting.say(`Alert set: ${valueNames[of]} at ${price(at)}`);
    setFault(undefined);
    form.reset();
  };
  return (
    <form className="alert-form" onSubmit={submit} noValidate>
      <label htmlFor={`${id}-price`}>Tell me when</label>
      <div className="alert-fields">
        <select name="of" aria-label="Value">
          {alertedValues.map((of) => (
            <option key={of} value={of}>
              {valueNames[of]}
            </option>
          ))}
        </select>
        <span>crosses</span>
        <input
          id={`${id}-price`}
          name="price"
          inputMode="decimal"
          autoComplete="off"
          defaultValue={initial === undefined ? '' : price(initial)}
          placeholder={price(last?.point.mid ?? 0.5)}
          aria-invalid={fault !== undefined}
          aria-describedby={fault === undefined ? undefined : `${id}-fault`}
        />
        <button type="submit" className="primary" disabled={!canAdd}>
          Set alert
        </button>
      </div>
      {fault === undefined ? null : (
        <p id={`${id}-fault`} role="alert" className="alert-fault">
          {fault}
        </p>
      )}
      {canAdd ? null : <p className="hint">{`${waitingMax} alerts wait: remove one first.`}</p>}
    </form>
  );
};
