import { type ReactNode, useEffect } from 'react';
import { type StoredItem, useStoredLists } from './stored-lists.js';

/** Puts what a screen is about on the watchlist of the home, or takes it from there. The screen is a recent view from now on. */
export const WatchButton = ({ kind, id, title }: StoredItem): ReactNode => {
  const { isWatched, toggleWatched, visit } = useStoredLists();
  const isOn = isWatched({ kind, id });
  useEffect(() => visit({ kind, id, title }), [visit, kind, id, title]);
  return (
    <button
      type="button"
      className="watch"
      aria-label="Watch"
      aria-pressed={isOn}
      onClick={() => toggleWatched({ kind, id, title })}
    >
      <span aria-hidden="true">{isOn ? '★' : '☆'}</span>{' '}
      <span className="watch-text" aria-hidden="true">
        Watch
      </span>
    </button>
  );
};
