/** A leader that is there answers in milliseconds. An election takes seconds. */
const usualMs = 200;
const silentMs = 30;

/** For how long a read waits for a leader. One that was silent gets less time until it answers. */
export interface LeaderWait {
  readonly ms: number;
  readonly answered: () => void;
  readonly wasSilent: () => void;
}

export const leaderWait = (): LeaderWait => {
  let isSilent = false;
  return {
    get ms() {
      return isSilent ? silentMs : usualMs;
    },
    answered: () => void (isSilent = false),
    wasSilent: () => void (isSilent = true),
  };
};
