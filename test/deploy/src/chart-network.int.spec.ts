import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { processNames } from '@almanac/contracts';
import { environmentOf, type KubernetesObject, podOf, profileNames, rendered } from './kubernetes.js';
import { type Labels, type NetworkPolicy, policiesIn, policiesOf } from './network-policies.js';

const portOf = (address: string): number => {
  const { port, protocol } = new URL(address.split(',')[0] ?? '');
  return port === '' ? ({ 'https:': 443, 'http:': 80 }[protocol] ?? Number.NaN) : Number(port);
};

/** Connections of which no variable tells: the gateway follows signed links of export. The others are outside of the cluster. */
const alsoConnectsTo = (objects: readonly KubernetesObject[], name: string): number[] => {
  if (name === 'gateway') return [portOf(environmentOf(objects, 'export')['S3_ENDPOINT'] ?? '')];
  if (name === 'ingest') return [443, 9000];
  return ['commerce', 'webhooks', 'capture'].includes(name) ? [443] : [];
};

const serverVariables = ['NATS_URL', 'CLICKHOUSE_URL', 'REDIS_URL', 'S3_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
const withheld = ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];

const namesOf = {
  small: [...processNames, 'migrate', 'operator', 'rebuild-catalogue', 'rebuild-exports'],
  standard: [...processNames, 'migrate', 'backup', 'rebuild-catalogue', 'rebuild-exports'],
  large: [...processNames, 'migrate', 'backup', 'rebuild-catalogue', 'rebuild-exports'],
  everything: [
    ...processNames,
    'migrate',
    'operator',
    'backup',
    'rebuild-catalogue',
    'rebuild-exports',
    'ingest',
    'capture',
  ],
} as const;

for (const profile of profileNames) {
  describe(`the network policies of ${profile}`, () => {
    let objects: KubernetesObject[] = [];
    let policies: NetworkPolicy[] = [];
    before(async () => {
      objects = await rendered(profile);
      policies = policiesIn(objects);
    });
    const of = (labels: Labels) => policiesOf(policies, labels);

    for (const name of namesOf[profile]) {
      it(`let ${name} reach DNS and the servers in its environment, and nothing else`, () => {
        const mine = of(podOf(objects, name).labels);
        const denied = mine.find(({ metadata }) => metadata.name === 'almanac-nothing');
        assert.deepEqual(denied?.spec.policyTypes, ['Ingress', 'Egress']);
        const allowed = mine.flatMap(({ spec }) => spec.egress.flatMap((rule) => rule.ports.map(({ port }) => port)));
        const variables = environmentOf(objects, name);
        const toServers = serverVariables.flatMap((variable) =>
          variables[variable] === undefined ? [] : [portOf(variables[variable])],
        );
        // That of the Sentinels.
        const more = profile === 'everything' && variables['REDIS_URL'] !== undefined ? [26_379] : [];
        const needed = new Set([53, ...toServers, ...alsoConnectsTo(objects, name), ...more]);
        assert.deepEqual(
          [...new Set(allowed)].toSorted((one, other) => one - other),
          [...needed].toSorted((one, other) => one - other),
        );
      });

      it(`admit to ${name} only the metrics collector${name === 'gateway' ? ' and clients' : ''}`, () => {
        const { labels, container } = podOf(objects, name);
        const open = of(labels).flatMap(({ spec }) => spec.ingress.flatMap((rule) => rule.ports ?? []));
        const health = 9090;
        const http = container.ports.find((port) => port.name === 'http')?.containerPort;
        const openPorts = http === undefined ? [health] : [http, health];
        assert.deepEqual(
          open.map(({ port }) => port).toSorted((one, other) => one - other),
          openPorts,
        );
      });
    }

    it('let receivers, venues and places be reached at public addresses only', () => {
      for (const name of ['webhooks', 'ingest', 'capture']) {
        const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'almanac' };
        const rules = of(labels).flatMap(({ spec }) => spec.egress);
        const toReceivers = rules.filter((rule) => rule.ports.some(({ port }) => port === 443));
        assert.equal(toReceivers.length, 1, name);
        const [ipv4, ipv6] = (toReceivers[0]?.to ?? []).map((one) => ('ipBlock' in one ? one.ipBlock : undefined));
        assert.deepEqual(ipv4, { cidr: '0.0.0.0/0', except: withheld });
        assert.deepEqual(ipv6, { cidr: '2000::/3', except: [] });
      }
    });
  });
}

describe('the network policies with clients behind an ingress', () => {
  it('admit to the gateway the pods of the ingress, and the test of Helm', async () => {
    const policy = policiesIn(await rendered('everything')).find(
      ({ metadata }) => metadata.name === 'almanac-from-clients',
    );
    assert.deepEqual(
      policy?.spec.ingress[0]?.from?.map((one) => Object.keys(one)),
      [['podSelector'], ['namespaceSelector']],
    );
  });

  it('name where a server is', async () => {
    const policy = policiesIn(await rendered('everything')).find(
      ({ metadata }) => metadata.name === 'almanac-to-clickhouse',
    );
    assert.deepEqual(policy?.spec.egress[0]?.to, [{ ipBlock: { cidr: '10.1.0.0/16', except: [] } }]);
  });
});
