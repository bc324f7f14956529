import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBinary, freePort, type RunningProcess, startProcess } from '@almanac/local-servers';

/** haproxy before the gateways, as in docker-compose.yml. */
export const startHaproxy = async (
  folder: string,
  gateways: readonly string[],
): Promise<RunningProcess & { readonly url: string }> => {
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, await configuration(port, gateways));
  const running = await startProcess({
    name: 'haproxy',
    command: await findBinary('haproxy'),
    args: ['-db', '-f', file],
    env: { PATH: process.env['PATH'] },
    logFile: join(folder, 'haproxy.log'),
    isReady: async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1_000) });
      await answer.body?.cancel();
      return answer.ok;
    },
  });
  return { ...running, url: `http://127.0.0.1:${port}` };
};

const shipped = fileURLToPath(new URL('../../../../deploy/balancer/haproxy.cfg', import.meta.url));

/** The shipped one. Only its address, and how it finds the gateways, are replaced. */
const configuration = async (port: number, gateways: readonly string[]): Promise<string> => {
  const servers = gateways.map((url, index) => `server gateway-${index + 1} ${new URL(url).host}`);
  const text = await readFile(shipped, 'utf8');
  const here = text
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace(/^ *server-template .*$/m, servers.join('\n'));
  if (here.includes(':8080')) throw new Error('haproxy.cfg has another form');
  return here;
};
