import { useSyncExternalStore } from 'react';

const name = 'almanac-tour';
const listeners = new Set<() => void>();

/** Whether this browser has closed the tour. One that refuses storage sees it on each visit. */
const isDone = (): boolean => {
  try {
    return localStorage.getItem(name) === 'done';
  } catch {
    return false;
  }
};

let isOpen = !isDone();

const set = (open: boolean): void => {
  isOpen = open;
  try {
    localStorage.setItem(name, open ? 'open' : 'done');
  } catch {
    // It then opens again on the next visit.
  }
  for (const listener of listeners) listener();
};

export const openTour = (): void => set(true);
export const closeTour = (): void => set(false);

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useTourOpen = (): boolean => useSyncExternalStore(subscribe, () => isOpen);
