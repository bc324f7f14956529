import { makeArchive, type Shape } from './data.js';
import type { World } from './world.js';

/** 10 events of a million rows each; all of them are one day of the series. */
export const large: Shape = {
  series: 'BENCHX',
  start: 'BENCHX-26MAR02',
  marketsN: 1_000,
  secondsN: 10_000,
  /** 2026-03-02 01:00 UTC, so that all of it is within a day. */
  openS: 1_772_413_200,
  marketsAnEvent: 100,
};
export const largeDay = '2026-03-02';

/** Markets of 15 minutes. */
export const small: Shape = {
  series: 'BENCHQ',
  start: 'BENCHQ-26MAR03',
  marketsN: 1_000,
  secondsN: 900,
  openS: 1_772_503_200,
  marketsAnEvent: 1,
};

const made = new Map<World, Map<Shape, Promise<void>>>();

/** Makes the markets before the first row that needs them; no other row waits for it. */
export const makeOnce = (world: World, shape: Shape): Promise<void> => {
  const ofWorld = made.get(world) ?? new Map<Shape, Promise<void>>();
  made.set(world, ofWorld);
  const making = ofWorld.get(shape) ?? makeArchive(world.system, world.admin, shape);
  ofWorld.set(shape, making);
  return making;
};
