import { readSlots, type ReadSlots } from '../snapshots/read-slots.js';

/**
 * A view of the same slots that uses at most `atOnce` of them. A read waits here first and then in the queue of the
 * process, so other reads never wait behind more than `atOnce` of these.
 */
export const fewerSlots = (slots: ReadSlots, atOnce: number): ReadSlots => {
  const few = readSlots(atOnce);
  return { run: (signal, work) => few.run(signal, () => slots.run(signal, work)) };
};
