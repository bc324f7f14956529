import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { processNames } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { composeProject, type ComposeProject, docker, fillForTour } from './compose.js';
import { repository } from '../start/npm-start.js';

const run = promisify(execFile);

const gateways = 3;
const mounts = z.array(z.object({ Type: z.string(), Name: z.string().optional(), Destination: z.string() }));

describe('several containers of a service in docker-compose.yml, with TLS to NATS', { timeout: 900_000 }, () => {
  let project: ComposeProject;
  let key = '';
  let certificates = '';
  before(async () => {
    certificates = await mkdtemp(join(tmpdir(), 'almanac-certificates-'));
    await run('sh', ['deploy/nats/certificates.sh', certificates], { cwd: repository });
    setDefaultCACertificates([
      ...getCACertificates('default'),
      await readFile(join(certificates, 'authority.crt'), 'utf8'),
    ]);
    // Containers read below it.
    await chmod(certificates, 0o755);
    project = await composeProject({
      COMPOSE_FILE: 'docker-compose.yml:docker-compose.tls.yml',
      NATS_TLS_FOLDER: certificates,
      // This process has no certificate.
      NATS_TLS_VERIFY: 'false',
      GATEWAY_REPLICAS: String(gateways),
      TIMESERIES_REPLICAS: '2',
    });
    await project.compose('--profile', 'operator', 'build', '--quiet');
    await start();
    key = await fillForTour(project);
  });
  after(async () => {
    await project.remove();
    await rm(certificates, { recursive: true });
  });

  const start = async (...more: readonly string[]): Promise<void> => {
    const options = ['--detach', '--wait', '--wait-timeout', '180', ...more];
    await project.compose('up', ...options, ...processNames, 'balancer');
  };
  const status = async (): Promise<number> => {
    const answer = await fetch(`${project.baseUrl}/api/v1/markets?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(20_000),
    });
    await answer.body?.cancel();
    return answer.status;
  };
  const containersOf = async (service: string): Promise<string[]> =>
    (await project.compose('ps', '--quiet', service)).trim().split('\n');
  const foldersOf = async (service: string): Promise<string[]> => {
    const ids = await containersOf(service);
    const all = await Promise.all(ids.map((id) => docker(['inspect', '--format', '{{json .Mounts}}', id])));
    return all.flatMap((text) =>
      mounts
        .parse(JSON.parse(text))
        .filter(({ Type, Destination }) => Type === 'volume' && Destination === '/var/lib/almanac')
        .map(({ Name = '' }) => Name),
    );
  };
  /** Requests that the gateway of this container has answered. */
  const answered = async (id: string): Promise<number> => {
    const read =
      'exec 3<>/dev/tcp/127.0.0.1/9090; printf "GET /metrics HTTP/1.0\\r\\n\\r\\n" >&3; while read -r line <&3; do echo "$line"; done';
    const text = await docker(['exec', id, 'bash', '-c', read]);
    const counts = text.matchAll(/^almanac_http_requests_total\{.*\} (\d+)\r?$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  };

  it('share the requests, through the balancer', async () => {
    const ids = await containersOf('gateway');
    assert.equal(ids.length, gateways);
    await eventually(
      async () => {
        for (let n = 0; n < 10; n += 1) assert.equal(await status(), 200);
        for (const id of ids) assert.ok((await answered(id)) > 0, id);
      },
      { timeoutMs: 60_000 },
    );
  });

  it('answer the command of the operator with its own certificate', async () => {
    assert.match(await project.compose('run', '--rm', 'operator', 'status'), /gateway/);
  });

  it('lose no request when one is replaced', async () => {
    const [id = ''] = await containersOf('gateway');
    const stopped = docker(['restart', '--time', '15', id]);
    let isOver = false;
    void stopped.then(() => (isOver = true));
    const failed: number[] = [];
    while (!isOver) {
      const one = await status();
      if (one !== 200) failed.push(one);
    }
    await stopped;
    assert.deepEqual(failed, []);
  });

  it('have a folder each, and keep it when they are replaced', async () => {
    const before_ = await foldersOf('timeseries');
    assert.equal(new Set(before_).size, 2);
    await start('--force-recreate', '--no-deps');
    assert.deepEqual(new Set(await foldersOf('timeseries')), new Set(before_));
    assert.equal(await status(), 200);
  });
});
