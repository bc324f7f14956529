import type { SearchHit } from '@almanac/client';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useAsOf } from '../api/as-of.js';
import { archiveAt } from '../api/client.js';
import { almanacErrorOf } from '../api/query-client.js';
import { minuteOf } from '../format/time.js';
import { paths, useHref } from '../parts/link.js';
import { Status } from '../parts/status.js';

const pauseMs = 120;
const hitsMax = 12;

const addressOf = ({ kind, id }: SearchHit): string => {
  if (kind === 'market') return paths.market(id);
  return kind === 'event' ? paths.event(id) : paths.series(id);
};

/** Searches as you type, from every screen. `/` leads here; the arrow keys choose, Enter opens. */
export const SearchBox = (): ReactNode => {
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const box = useSearchBox();
  const { text, hits, chosen, isShown } = box;
  useSlashKey(input);
  return (
    <search className="search">
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label="Search series, events and markets"
        aria-expanded={isShown}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={chosen >= 0 && isShown ? `${list}-${chosen}` : undefined}
        placeholder="Search markets, events, series  ( / )"
        value={text}
        onChange={(event) => box.type(event.target.value)}
        onFocus={box.open}
        onBlur={box.close}
        onKeyDown={box.onKeyDown}
      />
      <div className="hits" hidden={!isShown}>
        <div id={list} role="listbox" aria-label="Search results">
          {hits.map((hit, at) => (
            <Hit
              key={`${hit.kind} ${hit.id}`}
              id={`${list}-${at}`}
              hit={hit}
              isChosen={at === chosen}
              onOpen={box.go}
            />
          ))}
        </div>
        {isShown ? <Summary hits={hits.length} isPending={box.isPending} error={box.error} /> : null}
      </div>
    </search>
  );
};

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

const useSearchBox = () => {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const [, navigate] = useLocation();
  const href = useHref();
  const { hits, error, isPending } = useHits(text);
  const close = (): void => {
    setOpen(false);
    setChosen(-1);
  };
  const go = (hit: SearchHit): void => {
    close();
    setText('');
    navigate(href(addressOf(hit)));
  };
  const enter = (): void => {
    const hit = hits[chosen];
    if (hit !== undefined) {
      go(hit);
    } else if (text.trim() !== '') {
      close();
      navigate(href(`/markets?q=${encodeURIComponent(text.trim())}`));
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (event.key === 'Escape') close();
    if (event.key === 'Enter') enter();
    if (step === undefined || hits.length === 0) return;
    event.preventDefault();
    setOpen(true);
    setChosen((at) => (at < 0 && step < 0 ? hits.length - 1 : (at + step + hits.length) % hits.length));
  };
  const type = (value: string): void => {
    setText(value);
    setOpen(true);
    setChosen(-1);
  };
  const isShown = isOpen && text.trim() !== '';
  return { text, hits, error, isPending, chosen, isShown, type, open: () => setOpen(true), close, go, onKeyDown };
};

/** The hits of the text before stay until the next ones are there. */
const useHits = (text: string) => {
  const as_of = useAsOf();
  const [q, setQuery] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setQuery(text.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, error, isFetching } = useQuery({
    queryKey: ['search', as_of, q],
    queryFn: ({ signal }) => archiveAt(as_of).search(q, { limit: hitsMax }, { signal }).firstPage(),
    enabled: q !== '',
    placeholderData: (before) => before,
  });
  return { hits: q === '' ? [] : (data?.hits ?? []), error, isPending: isFetching || q !== text.trim() };
};

interface HitProps {
  readonly id: string;
  readonly hit: SearchHit;
  readonly isChosen: boolean;
  readonly onOpen: (hit: SearchHit) => void;
}

const Hit = ({ id, hit, isChosen, onOpen }: HitProps): ReactNode => (
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
      <code className="ticker">{hit.id}</code>
    </span>
    <span className="hit-close">{hit.close_ts === null ? '' : minuteOf(hit.close_ts)}</span>
    <Status status={hit.status} />
  </div>
);

interface SummaryProps {
  readonly hits: number;
  readonly isPending: boolean;
  readonly error: Error | null;
}

const Summary = ({ hits, isPending, error }: SummaryProps): ReactNode => {
  const text = (): string => {
    if (error !== null) return almanacErrorOf(error).detail;
    if (isPending && hits === 0) return 'Searching…';
    if (hits === 0) return 'Nothing found. Try fewer words, or the start of an id.';
    return '↑ ↓ choose, Enter opens. Enter without a choice lists all markets.';
  };
  return (
    <p className="hits-foot" role="status">
      {text()}
    </p>
  );
};

/** `/` moves to the search from anywhere but a field of text. */
const useSlashKey = (input: { readonly current: HTMLInputElement | null }): void => {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [input]);
};
