/** Weight of the last request in the share. */
const newestShare = 1 / 8;
/** About 18 missing slabs in a row, at the start or after some that were found. */
const promisingShare = 0.1;

/**
 * Whether requests of the store find slabs. If nearly none do, such as while someone reads an old archive for the first
 * time, reads stop to wait for them. Requests behind the reads still count, so this changes with what others store.
 */
export const hitRate = () => {
  let share = 1;
  return {
    add: (isFound: boolean): void => {
      share += ((isFound ? 1 : 0) - share) * newestShare;
    },
    isPromising: (): boolean => share >= promisingShare,
  };
};
