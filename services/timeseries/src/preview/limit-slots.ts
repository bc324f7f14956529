import { readSlots, type ReadSlots } from '../snapshots/read-slots.js';

/** The same slots, but at most `atOnce` at a time, so that other reads never wait behind more of these. */
export const fewerSlots = (slots: ReadSlots, atOnce: number): ReadSlots => {
  const few = readSlots(atOnce);
  return { run: (signal, work) => few.run(signal, () => slots.run(signal, work)) };
};
