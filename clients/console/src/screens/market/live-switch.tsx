import { type ReactNode, useEffect, useState } from 'react';
import { ago, duration } from '../../format/time.js';
import { type Live, liveEveryS } from './use-live.js';

interface LiveSwitchProps {
  readonly live: Live;
  readonly onSwitch: (isOn: boolean) => void;
}

const cost = `A request every ${duration(liveEveryS)}, and some more when there is new data. Stops while the tab is hidden`;

/** Follows a market that is open, and says how old its newest observation is. */
export const LiveSwitch = ({ live, onSwitch }: LiveSwitchProps): ReactNode => {
  const { isPossible, isOn, lastTs, error } = live;
  if (!isPossible) return null;
  return (
    <span className="live" data-live={isOn ? (error === null ? 'on' : 'waiting') : 'off'}>
      <button type="button" aria-pressed={isOn} title={cost} onClick={() => onSwitch(!isOn)}>
        <i aria-hidden="true" /> Live
      </button>
      {isOn ? <Lag lastTs={lastTs} error={error} /> : null}
    </span>
  );
};

const everyMs = 1_000;

/** Not announced: it changes each second. */
const Lag = ({ lastTs, error }: Pick<Live, 'lastTs' | 'error'>): ReactNode => {
  const [now, setNow] = useState(() => Date.now() / 1_000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1_000), everyMs);
    return () => clearInterval(timer);
  }, []);
  if (error !== null) return <span className="hint">no answer, tries again in 30 s</span>;
  if (lastTs === undefined) return <span className="hint">waits for data</span>;
  return (
    <span className="hint" data-lag={Math.max(0, now - lastTs)}>
      data of {ago(Math.floor(now - lastTs))}
    </span>
  );
};
