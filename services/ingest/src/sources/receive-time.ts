import { readStoredTime } from '../values/stored-values.js';
import type { AcceptAltered } from '../values/altered.js';
import type { TimeUnit } from '../values/time.js';

export const inexact = Symbol('a time that would be cut');
export const inexactTime = 'receive time: would be cut to microseconds (--exact)';

/** A receive time. Null if it is none, `inexact` if it has more digits than are accepted. */
export const receiveTime = (
  text: string,
  accept: AcceptAltered,
  unit: TimeUnit = 'ns',
): number | null | typeof inexact => {
  let accepted = true;
  const us = readStoredTime(text, { unit }, (change) => (accepted = accept({ ...change, name: 'receive time' })));
  return us !== null && !accepted ? inexact : us;
};
