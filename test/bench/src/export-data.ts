import { makeArchive, type Shape } from './data.js';
import type { World } from './world.js';

const made = new Map<World, Map<Shape, Promise<void>>>();

/** Makes the markets before the first row that needs them; no other row waits for it. */
export const makeOnce = (world: World, shape: Shape): Promise<void> => {
  const ofWorld = made.get(world) ?? new Map<Shape, Promise<void>>();
  made.set(world, ofWorld);
  const making = ofWorld.get(shape) ?? makeArchive(world.system, world.admin, shape);
  ofWorld.set(shape, making);
  return making;
};
