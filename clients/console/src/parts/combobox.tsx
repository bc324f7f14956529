import type { SearchHit } from '@almanac/client';
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useState } from 'react';
import { errorTextOf } from '../api/error-texts.js';
import { almanacErrorOf } from '../api/query-client.js';
import { minuteOf } from '../format/time.js';
import { Status } from './status.js';
import type { Found } from './use-hits.js';

/** A row below the field: a hit of the search, or something of the same form. */
export type HitRow = Pick<SearchHit, 'id' | 'title' | 'close_ts' | 'status'> & { readonly kind: string };

interface ComboboxProps<Row extends HitRow> {
  readonly label: string;
  readonly placeholder: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly found: Found<Row>;
  readonly onChoose: (hit: Row) => void;
  /** Enter without a chosen hit. Without it, Enter chooses the first one. */
  readonly onEnter?: () => void;
  /** The field has lost the focus. */
  readonly onLeave?: () => void;
  /** How the keys work, below the hits. */
  readonly help: string;
  /** For a visible label. */
  readonly id?: string;
  readonly input?: RefObject<HTMLInputElement | null>;
  readonly isRequired?: boolean;
  /** Shows hits before anything is typed. */
  readonly browses?: boolean;
}

/** A field with the hits of a search below it. The arrow keys choose, Enter takes the choice. */
export const Combobox = <Row extends HitRow>(props: ComboboxProps<Row>): ReactNode => {
  const { id, label, placeholder, text, found, help, input, isRequired = false } = props;
  const list = useId();
  const { chosen, isShown, choose, ...handlers } = useList(props);
  return (
    <>
      <input
        id={id}
        ref={input}
        type="search"
        role="combobox"
        aria-label={label}
        aria-expanded={isShown}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={chosen >= 0 && isShown ? `${list}-${chosen}` : undefined}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        required={isRequired}
        value={text}
        {...handlers}
      />
      <div className="hits" hidden={!isShown}>
        <div id={list} role="listbox" aria-label={`${label}: results`}>
          {found.hits.map((hit, at) => (
            <Hit key={keyOf(hit)} id={`${list}-${at}`} hit={hit} isChosen={at === chosen} onOpen={choose} />
          ))}
        </div>
        {isShown ? <Summary found={found} help={help} /> : null}
      </div>
    </>
  );
};

const keyOf = ({ kind, id }: HitRow): string => `${kind} ${id}`;

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Which hit is chosen, and whether the list is shown. */
const useList = <Row extends HitRow>(props: ComboboxProps<Row>) => {
  const { text, onText, onChoose, onEnter, onLeave, browses = false } = props;
  const { hits } = props.found;
  const [isOpen, setOpen] = useState(false);
  // Hits of what was typed before are replaced by later ones, so the choice is a row and no position.
  const [chosenKey, setChosenKey] = useState<string>();
  const chosen = hits.findIndex((hit) => keyOf(hit) === chosenKey);
  const isShown = isOpen && (browses || text.trim() !== '');
  const close = (): void => {
    setOpen(false);
    setChosenKey(undefined);
  };
  const choose = (hit: Row): void => {
    close();
    onChoose(hit);
  };
  const enter = (event: KeyboardEvent): void => {
    // In a form, Enter sends it once the list is closed.
    if (onEnter === undefined && !isShown) return;
    event.preventDefault();
    const hit = hits[chosen] ?? (onEnter === undefined ? hits[0] : undefined);
    if (hit !== undefined) choose(hit);
    else {
      close();
      onEnter?.();
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (event.key === 'Escape') close();
    if (event.key === 'Enter') enter(event);
    if (step === undefined || hits.length === 0) return;
    event.preventDefault();
    setOpen(true);
    const next = hits[chosen < 0 && step < 0 ? hits.length - 1 : (chosen + step + hits.length) % hits.length];
    setChosenKey(next && keyOf(next));
  };
  const onChange = ({ target }: { readonly target: HTMLInputElement }): void => {
    onText(target.value);
    setOpen(true);
    setChosenKey(undefined);
  };
  const onBlur = (): void => {
    close();
    onLeave?.();
  };
  return { chosen, isShown, choose, onChange, onKeyDown, onFocus: () => setOpen(true), onBlur };
};

interface HitProps<Row extends HitRow> {
  readonly id: string;
  readonly hit: Row;
  readonly isChosen: boolean;
  readonly onOpen: (hit: Row) => void;
}

const Hit = <Row extends HitRow>({ id, hit, isChosen, onOpen }: HitProps<Row>): ReactNode => (
  // The field has the focus and handles the keys.
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
  <div
    id={id}
    role="option"
    tabIndex={-1}
    aria-selected={isChosen}
    className="hit"
    onMouseDown={(event) => event.preventDefault()}
    onClick={() => onOpen(hit)}
    ref={(element) => {
      if (isChosen) element?.scrollIntoView({ block: 'nearest' });
    }}
  >
    <span className="hit-kind">{hit.kind}</span>
    <span className="titled">
      <span className="title" dir="auto">
        {hit.title ?? hit.id}
      </span>
      {hit.id === hit.title ? null : <code className="ticker">{hit.id}</code>}
    </span>
    <span className="hit-close">{hit.close_ts === null ? '' : minuteOf(hit.close_ts)}</span>
    {hit.status === null ? null : <Status status={hit.status} />}
  </div>
);

const Summary = ({ found, help }: { readonly found: Found<HitRow>; readonly help: string }): ReactNode => {
  const { hits, error, isPending } = found;
  const text = (): string => {
    if (error !== null) return errorTextOf(almanacErrorOf(error)).title;
    if (isPending && hits.length === 0) return 'Searching…';
    if (hits.length === 0) return 'Nothing found. Try fewer words, or the start of an id.';
    return help;
  };
  return (
    <p className="hits-foot" role="status">
      {text()}
    </p>
  );
};
