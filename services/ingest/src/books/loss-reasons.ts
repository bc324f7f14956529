import { contradictions } from '@almanac/contracts';

/** Limit of markets per feed. Changes of further ones are refused. */
export const marketsMax = 50_000;

/** A clock that is corrected steps back by less. A longer step is another fault. */
export const clockStepMaxUs = 60_000_000;

/** Why a message is refused, or a span ends. */
export const lossReasons = {
  jump: 'messages are missing in the sequence',
  opened: 'the subscription began anew',
  repeated: 'repeated message',
  backwards: 'the time is earlier than that of the previous message',
  twice: 'the snapshot has a price twice on one side',
  early: 'the change comes before the snapshot of its market',
  ended: 'the recording ended',
  tooMany: `the recording has more than ${marketsMax} markets`,
  ...contradictions,
  silence: 'the recording was silent, so a loss cannot be excluded',
  clock: 'the clock of the recorder stepped back: the time of the message before is used',
} as const;
