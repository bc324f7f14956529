import { useLayoutEffect, useRef, useState } from 'react';
import { createNavigation, type Navigation } from './navigate.js';
import type { Signal } from './signal.js';
import { followed, isSame, type Window } from './window.js';

/** One navigation for the life of the charts. New limits, such as those of new data, move what is in sight along. */
export const useNavigation = (view: Signal<Window>, limits: Window): Navigation => {
  const [{ nav, setLimits }] = useState(() => createNavigation(view, limits));
  const before = useRef(limits);
  useLayoutEffect(() => {
    const next = followed(view.get(), before.current, limits);
    before.current = limits;
    setLimits(limits);
    if (!isSame(next, view.get())) view.set(next);
  }, [view, limits, setLimits]);
  return nav;
};
