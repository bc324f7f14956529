import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findBinary, freePort, type RunningProcess, startProcess } from '@almanac/local-servers';

/**
 * haproxy before the gateways, like a load balancer: it checks each /readyz twice a second and tries another gateway
 * when a connection is refused. It repeats no request that a gateway may have received.
 */
export const startHaproxy = async (
  folder: string,
  gateways: readonly string[],
): Promise<RunningProcess & { readonly url: string }> => {
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  const servers = gateways.map((url, index) => `  server gateway-${index + 1} ${new URL(url).host}`);
  await writeFile(
    file,
    `global
  maxconn 1000
defaults
  mode http
  timeout connect 2s
  timeout check 5s
  timeout client 60s
  timeout server 60s
  timeout http-keep-alive 60s
  retries 3
  retry-on conn-failure
  option redispatch 1
frontend clients
  bind 127.0.0.1:${port}
  default_backend gateways
backend gateways
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter 500ms fall 2 rise 1
${servers.join('\n')}
`,
  );
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
