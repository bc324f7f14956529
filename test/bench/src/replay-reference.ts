import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { answerParent } from './worker.js';

const workerMessage = z.object({ folder: z.string() });
const event = z.object({ event_type: z.string() });

/** The minimum for any reader of the same files: decompress, split into lines, parse each. */
answerParent(async (input) => {
  const { folder } = workerMessage.parse(input);
  const before = process.cpuUsage();
  let changes = 0;
  for (const name of (await readdir(folder, { recursive: true })).toSorted()) {
    if (!name.endsWith('.gz')) continue;
    const lines = createInterface({ input: createReadStream(join(folder, name)).pipe(createGunzip()) });
    for await (const line of lines) {
      const parsed: unknown = JSON.parse(line);
      if (event.parse(parsed).event_type === 'orderbook_delta') changes += 1;
    }
  }
  const { user, system } = process.cpuUsage(before);
  return { changes, cpuSeconds: (user + system) / 1e6 };
});
