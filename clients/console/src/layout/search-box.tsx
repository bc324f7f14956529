import type { SearchHit } from '@almanac/client';
import { useSession } from '../api/use-session.js';
import { screensOf } from '../screens.js';
import { type Command, commandsFor } from './commands.js';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Combobox } from '../parts/combobox.js';
import { paths, useHref } from '../parts/link.js';
import { useAddressId } from '../parts/use-address-id.js';
import { useHits } from '../parts/use-hits.js';

const hitsMax = 12;

const addressOf = ({ kind, id }: SearchHit): string => {
  if (kind === 'market') return paths.market(id);
  return kind === 'event' ? paths.event(id) : paths.series(id);
};

/** Searches as you type, from every screen, and knows commands. `/` and Ctrl K lead here; the arrow keys choose, Enter opens. */
export const SearchBox = (): ReactNode => {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [location, navigate] = useLocation();
  const href = useHref();
  const found = useHits(text, { limit: hitsMax });
  const [isCommanding, setCommanding] = useState(false);
  const session = useSession();
  useKeys(input, setCommanding);
  const id = useAddressId();
  const market = location.startsWith('/markets/') ? id : undefined;
  const go = (path: string): void => navigate(href(path));
  const isTyped = isCommanding || text.trim().length > 1;
  const commands = isTyped ? commandsFor(text, { screens: screensOf(session), navigate: go, market }) : [];
  const open = (row: SearchHit | Command): void => {
    setText('');
    if ('run' in row) row.run();
    else go(addressOf(row));
  };
  const listAll = (): void => {
    if (text.trim() !== '') navigate(href(`/markets?q=${encodeURIComponent(text.trim())}`));
  };
  return (
    <search className="search">
      <Combobox
        input={input}
        label="Search series, events and markets"
        placeholder="Search, or go to  ( / or Ctrl K )"
        text={text}
        onText={setText}
        found={{ ...found, hits: [...commands, ...found.hits] }}
        browses={isCommanding}
        onLeave={() => setCommanding(false)}
        onChoose={open}
        onEnter={listAll}
        help="↑ ↓ choose, Enter opens. Enter without a choice lists all markets."
      />
    </search>
  );
};

/** `/` moves to the search from anywhere but a field of text, and Ctrl K from anywhere, with all commands. */
const useKeys = (
  input: { readonly current: HTMLInputElement | null },
  setCommanding: (isCommanding: boolean) => void,
): void => {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      const isModified = event.ctrlKey || event.metaKey;
      const isPalette = isModified && !event.altKey && event.key.toLowerCase() === 'k';
      const isSlash = event.key === '/' && !isTyping && !isModified && !event.altKey;
      if (!isPalette && !isSlash) return;
      event.preventDefault();
      input.current?.blur();
      input.current?.focus();
      if (isPalette) setCommanding(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [input, setCommanding]);
};
