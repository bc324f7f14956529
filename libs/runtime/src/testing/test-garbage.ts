import { setImmediate as nextTurn } from 'node:timers/promises';
import { tuneGarbageCollection } from '../gc-tuning.js';

/** A test process that keeps STORED_MB and makes garbage as answers do. It prints by how many MB its heap grew at most. */
const answer = Array.from({ length: 131_072 }, () => 0.5);
const heapMb = (): number => process.memoryUsage().heapUsed / 2 ** 20;

tuneGarbageCollection();
const stored = Array.from({ length: Number(process.env['STORED_MB']) }, () => answer.slice());
const storedMb = heapMb();
const answers: number[][] = [];
let peakMb = 0;
for (let made = 0; made < 1_200; made += 1) {
  answers[made % 16] = answer.slice();
  peakMb = Math.max(peakMb, heapMb());
  await nextTurn();
}
process.stdout.write(JSON.stringify({ stored: stored.length, grownMb: peakMb - storedMb }));
