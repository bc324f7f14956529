import type { SearchHit } from '@almanac/client';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Combobox } from '../parts/combobox.js';
import { paths, useHref } from '../parts/link.js';
import { useHits } from '../parts/use-hits.js';

const hitsMax = 12;

const addressOf = ({ kind, id }: SearchHit): string => {
  if (kind === 'market') return paths.market(id);
  return kind === 'event' ? paths.event(id) : paths.series(id);
};

/** Searches as you type, from every screen. `/` leads here; the arrow keys choose, Enter opens. */
export const SearchBox = (): ReactNode => {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [, navigate] = useLocation();
  const href = useHref();
  const found = useHits(text, { limit: hitsMax });
  useSlashKey(input);
  const open = (hit: SearchHit): void => {
    setText('');
    navigate(href(addressOf(hit)));
  };
  const listAll = (): void => {
    if (text.trim() !== '') navigate(href(`/markets?q=${encodeURIComponent(text.trim())}`));
  };
  return (
    <search className="search">
      <Combobox
        input={input}
        label="Search series, events and markets"
        placeholder="Search markets, events, series  ( / )"
        text={text}
        onText={setText}
        found={found}
        onChoose={open}
        onEnter={listAll}
        help="↑ ↓ choose, Enter opens. Enter without a choice lists all markets."
      />
    </search>
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
