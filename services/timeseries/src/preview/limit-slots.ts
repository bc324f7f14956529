import { readSlots, type ReadSlots } from '../snapshots/read-slots.js';

/**
 * The same slots, of which this one takes at most `atOnce`: what is read through it waits here first, and then in the
 * one queue of the process, so that the others find no more than so many of it before them.
 */
export const fewerSlots = (slots: ReadSlots, atOnce: number): ReadSlots => {
  const few = readSlots(atOnce);
  return { run: (signal, work) => few.run(signal, () => slots.run(signal, work)) };
};
