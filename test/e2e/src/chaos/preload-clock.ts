/**
 * Loaded with `--import` into a service: its clock is wrong by the milliseconds in a file that has the name of its process.
 * `clock-steps.ts` writes it. Node's own timers and `performance.now()` go on, as after a step of the system's clock.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clockFolderVariable } from './clock-steps.js';

const everyMs = 50;
const file = join(process.env[clockFolderVariable] ?? '', String(process.pid));
const realNow = Date.now.bind(Date);
let wrongByMs = 0;

const readStep = (): void => {
  try {
    wrongByMs = Number(readFileSync(file, 'utf8'));
  } catch {
    wrongByMs = 0;
  }
};
setInterval(readStep, everyMs).unref();

Date.now = () => realNow() + wrongByMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, given: [], newTarget) =>
    Reflect.construct(target, given.length === 0 ? [Date.now()] : given, newTarget) as Date,
});
