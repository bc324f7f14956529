import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import { setAsOf, useAsOf } from '../api/as-of.js';
import { useSession } from '../api/use-session.js';
import { textIn } from '../parts/form.js';
import { fromInput, toInput } from '../format/time.js';

/** Chooses the time as of which the whole console answers. */
export const AsOfSwitch = (): ReactNode => {
  const asOf = useAsOf();
  const details = useRef<HTMLDetailsElement>(null);
  const close = (): void => details.current?.removeAttribute('open');
  return (
    <details
      className="as-of"
      ref={details}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        close();
        details.current?.querySelector('summary')?.focus();
      }}
    >
      <summary>
        <span aria-hidden="true">◷</span>
        <span className="as-of-name">{asOf === undefined ? 'Now' : 'As of'}</span>
      </summary>
      <AsOfForm key={asOf} onDone={close} />
    </details>
  );
};

const AsOfForm = ({ onDone }: { readonly onDone: () => void }): ReactNode => {
  const id = useId();
  const asOf = useAsOf();
  const fence = useSession()?.as_of ?? undefined;
  const [latest] = useState(() => fence ?? Math.floor(Date.now() / 1_000));
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const chosen = fromInput(textIn(event.currentTarget, 'time'));
    if (chosen === undefined) return;
    setAsOf(Math.min(chosen, latest));
    onDone();
  };
  const goToNow = (): void => {
    setAsOf(undefined);
    onDone();
  };
  return (
    <form className="as-of-form" onSubmit={submit}>
      <label htmlFor={id}>Show the archive as it was known at (UTC)</label>
      <input
        id={id}
        type="datetime-local"
        name="time"
        step="1"
        required
        max={toInput(latest)}
        defaultValue={toInput(asOf ?? latest)}
      />
      <div className="buttons">
        <button type="submit" className="primary">
          Show
        </button>
        <button type="button" onClick={goToNow} disabled={asOf === undefined || asOf === fence}>
          Now
        </button>
      </div>
      <p className="hint">The time is in the address, so a link shows others the same.</p>
    </form>
  );
};
