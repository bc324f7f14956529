import { type ReactNode, useState } from 'react';
import { setZone, shownZone, zoneName } from '../format/zone.js';

/** The zone of all times. A press changes it. */
export const ZoneSwitch = (): ReactNode => {
  const zone = shownZone();
  const [local] = useState(() => zoneName(Date.now() / 1_000));
  const name = zone === 'utc' ? 'UTC' : `Local (UTC${local})`;
  return (
    <button
      type="button"
      className="zone"
      aria-label={`Times in ${name}. Change`}
      title={zone === 'utc' ? 'Show times of this device' : 'Show times in UTC'}
      onClick={() => setZone(zone === 'utc' ? 'local' : 'utc')}
    >
      {zone === 'utc' ? 'UTC' : `Local ${local}`}
    </button>
  );
};
