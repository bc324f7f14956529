import { type RefObject, useEffect } from 'react';

/**
 * A screen that was opened begins at its top, and the keyboard and screen readers go on in it. Without this, they stay where
 * the link was. Back and forward keep the place, which the browser restores.
 */
export const useNewScreen = (main: RefObject<HTMLElement | null>): void => {
  useEffect(() => {
    let shown = window.location.pathname;
    const note = (): boolean => {
      const before = shown;
      shown = window.location.pathname;
      return shown !== before;
    };
    const begin = (): void => {
      // A filter changes only what follows the path.
      if (!note()) return;
      window.scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    };
    const stop = new AbortController();
    const { signal } = stop;
    // The router reports this one.
    window.addEventListener('pushState', begin, { signal });
    window.addEventListener('popstate', () => void note(), { signal });
    return () => stop.abort();
  }, [main]);
};
