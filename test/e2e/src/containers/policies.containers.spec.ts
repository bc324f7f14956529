import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { processNames } from '@almanac/contracts';
import { podLabels, type Profile, rendered } from '@almanac/test-deploy/kubernetes';
import { type Labels, nftablesOf, type Peer, policiesIn } from '@almanac/test-deploy/network-policies';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { repository } from '../start/npm-start.js';
import { composeProject, type ComposeProject, docker, fillForTour, takeTour } from './compose.js';

/** With nftables, and programs that listen and connect. */
const image = 'almanac/policies-test';

const nats = 4222;
const clickhouse = 8123;
const redis = 6379;
const s3 = 7070;
const https = 443;
/** Where each pod may connect to, besides DNS. The services run, and the Jobs have a container with their labels. */
const reaches: Readonly<Record<string, readonly number[]>> = {
  gateway: [nats, redis, s3],
  catalog: [nats, clickhouse],
  timeseries: [nats, clickhouse, redis, s3],
  export: [nats, clickhouse, s3],
  commerce: [nats, https],
  keys: [nats, redis],
  migrate: [clickhouse],
  backup: [nats, clickhouse, s3],
  'rebuild-catalogue': [nats, clickhouse],
  'rebuild-exports': [nats, clickhouse],
};
const servers = { nats, clickhouse, redis, s3 };
const jobs = Object.keys(reaches).filter((name) => !processNames.some((process) => process === name));
/** In production, these servers are behind TLS. */
const portsOfProduction = new Map([
  [clickhouse, 8443],
  [s3, https],
]);

/** Pods of other namespaces. */
const strangers: Readonly<Record<string, Labels>> = {
  stranger: {},
  collector: { 'almanac/monitoring': 'true' },
  ingress: { 'kubernetes.io/metadata.name': 'ingress-nginx' },
};
const http = 8080;
const health = 9090;
const tried = [22, 53, 80, nats, redis, s3, clickhouse, 8443, https, http, 9000, health];
const targetsAt = (address: string): string[] => [
  ...tried.map((port) => `tcp:${address}:${port}`),
  ...[53, 123].map((port) => `udp:${address}:${port}`),
];

interface Pod extends Peer {
  readonly id: string;
}

describe('the network policies of k8s on containers', { timeout: 600_000 }, () => {
  let project: ComposeProject;
  const pods = new Map<string, Pod>();
  const extras: string[] = [];
  const pod = (name: string): Pod => pods.get(name) ?? assert.fail(`there is no container of ${name}`);
  before(async () => {
    project = await composeProject();
    const given = process.env['NODE_IMAGE'];
    const base = given === undefined ? [] : ['--build-arg', `NODE_IMAGE=${given}`];
    await docker(['build', '--quiet', '--tag', image, ...base, join(repository, 'scripts/engine/policies')]);
    await project.compose('build', '--quiet');
    await project.compose('up', '--detach', '--wait', '--wait-timeout', '180', ...processNames);
    // In this one, each of them runs.
    const objects = [...(await rendered('small')), ...(await rendered('standard'))];
    for (const name of [...processNames, ...Object.keys(servers)]) {
      const id = (await project.compose('ps', '--quiet', name)).trim();
      pods.set(name, { id, address: await addressOf(id), labels: podLabels(objects, name) });
    }
    const network = await networkOf(pod('nats').id);
    for (const name of [...jobs, ...Object.keys(strangers)]) {
      const id = (await docker(listening(network))).trim();
      extras.push(id);
      const namespaceLabels = strangers[name];
      const labels = namespaceLabels === undefined ? podLabels(objects, name) : {};
      pods.set(name, { id, address: await addressOf(id), labels, namespaceLabels });
    }
    await eventually(async () => {
      const listeners = [...jobs, ...Object.keys(strangers)].map((name) => `tcp:${pod(name).address}:9000`);
      assert.deepEqual(await openFrom('gateway', listeners), listeners);
    });
  });
  after(async () => {
    if (extras.length > 0) await docker(['rm', '--force', ...extras]);
    await project.remove();
  });

  const listening = (network: string): string[] => {
    const ports = [...tried, 123].map(String);
    return ['run', '--detach', '--init', '--network', network, image, 'node', '/listen.mjs', ...ports];
  };

  const networks = z.record(z.string(), z.object({ IPAddress: z.string(), Gateway: z.string() }));
  const inspected = async (id: string): Promise<z.infer<typeof networks>> =>
    networks.parse(JSON.parse(await docker(['inspect', '--format', '{{json .NetworkSettings.Networks}}', id])));
  const addressOf = async (id: string): Promise<string> =>
    Object.values(await inspected(id))[0]?.IPAddress ?? assert.fail('a container has no address');
  const networkOf = async (id: string): Promise<string> => Object.keys(await inspected(id))[0] ?? assert.fail();

  /** In the network namespaces of all pods that have policies. */
  const enforce = async (profile: Profile): Promise<void> => {
    const policies = policiesIn(await rendered(profile));
    // Published ports lead through it.
    const node = Object.values(await inspected(pod('nats').id))[0]?.Gateway ?? assert.fail();
    await Promise.all(
      [...pods].map(async ([name, { id, labels }]) => {
        if (strangers[name] !== undefined) return;
        const rules = `RULES=${nftablesOf(policies, labels, { others: [...pods.values()], node })}`;
        const inPod = ['run', '--rm', '--network', `container:${id}`, '--cap-add', 'NET_ADMIN', '--env', rules, image];
        await docker([...inPod, 'sh', '-c', 'printf %s "$RULES" | nft -f -']);
      }),
    );
  };

  /** The targets that are open for a pod. A target is PROTOCOL:ADDRESS:PORT. */
  const openFrom = async (name: string, targets: readonly string[]): Promise<string[]> => {
    const args = ['run', '--rm', '--network', `container:${pod(name).id}`, image, 'node', '/connect.mjs', ...targets];
    const results = z.array(z.string()).parse(JSON.parse(await docker(args)));
    return targets.filter((_, at) => results[at] === 'open');
  };

  const assertReaches = async (name: string, ports: readonly number[]): Promise<void> => {
    const { address } = pod('stranger');
    const expected = [...[53, ...ports].map((port) => `tcp:${address}:${port}`), `udp:${address}:53`];
    assert.deepEqual((await openFrom(name, targetsAt(address))).toSorted(), expected.toSorted(), name);
  };

  /** Whether a peer reaches these ports of all services. */
  const assertAdmitted = async (peer: string, portsOf: (service: string) => readonly number[]): Promise<void> => {
    const targets = processNames.map((name) => `tcp:${pod(name).address}:${health}`);
    // A connection to itself does not leave the pod.
    const all = [...targets, `tcp:${pod('gateway').address}:${http}`].filter(
      (one) => !one.includes(`:${pod(peer).address}:`),
    );
    const expected = processNames.flatMap((name) => portsOf(name).map((port) => `tcp:${pod(name).address}:${port}`));
    assert.deepEqual((await openFrom(peer, all)).toSorted(), expected.toSorted(), peer);
  };
  const clients = (service: string): number[] => (service === 'gateway' ? [http] : []);

  it('are needed: without them, every pod connects to everything', async () => {
    const all = targetsAt(pod('stranger').address);
    for (const name of Object.keys(reaches)) assert.deepEqual(await openFrom(name, all), all, name);
    await assertAdmitted('stranger', (service) => [health, ...clients(service)]);
  });

  describe('of values-small.yaml', () => {
    before(() => enforce('small'));

    it('let each pod reach DNS and its servers, and nothing else', async () => {
      for (const [name, ports] of Object.entries(reaches)) await assertReaches(name, ports);
    });

    it('admit clients to the gateway, metrics to the collector, and nobody else', async () => {
      await assertAdmitted('stranger', clients);
      await assertAdmitted('collector', (service) => [health, ...clients(service)]);
      for (const name of ['gateway', 'backup']) await assertAdmitted(name, () => []);
      for (const name of jobs) {
        const targets = [http, health, 9000].map((port) => `tcp:${pod(name).address}:${port}`);
        assert.deepEqual(await openFrom('stranger', targets), [], name);
      }
    });

    it('admit only pods of Almanac to its servers', async () => {
      const targets = Object.entries(servers).map(([name, port]) => `tcp:${pod(name).address}:${port}`);
      assert.deepEqual(await openFrom('stranger', targets), []);
      assert.deepEqual(
        await openFrom('backup', targets),
        targets.filter((target) => !target.endsWith(`:${redis}`)),
      );
    });

    it('let the system serve the tour, with imports, exports and links', async () => {
      await fillForTour(project);
      await takeTour(project);
    });
  });

  describe('of every option', () => {
    before(() => enforce('everything'));

    it('let each pod reach DNS and its servers behind TLS, and nothing else', async () => {
      for (const [name, ports] of Object.entries(reaches)) {
        await assertReaches(name, [...new Set(ports.map((port) => portsOfProduction.get(port) ?? port))]);
      }
    });

    it('admit clients to the gateway through the ingress only', async () => {
      await assertAdmitted('stranger', () => []);
      await assertAdmitted('collector', () => [health]);
      await assertAdmitted('ingress', clients);
    });
  });
});
