import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { asJob, environmentOf, type KubernetesObject, podOf, rendered } from './kubernetes.js';
import { type Labels, type NetworkPolicy, policiesIn, policiesOf } from './network-policies.js';
import { services } from './service-configs.js';

const portOf = (address: string): number => {
  const { port, protocol } = new URL(address);
  return port === '' ? ({ 'https:': 443, 'http:': 80 }[protocol] ?? Number.NaN) : Number(port);
};

/** Indirect connections: the gateway follows signed links of export, and Stripe and receivers are outside the cluster. */
const alsoConnectsTo = (objects: readonly KubernetesObject[], name: string): number[] => {
  if (name === 'gateway') return [portOf(environmentOf(objects, 'export')['S3_ENDPOINT'] ?? '')];
  return name === 'commerce' || name === 'webhooks' ? [443] : [];
};

const jobs = ['backup', 'rebuild-catalogue', 'rebuild-exports'] as const;
/** The Jobs of k8s/jobs, which use the policies and the settings of the overlay. */
const jobObjects = async (): Promise<KubernetesObject[]> => {
  const all = await Promise.all(jobs.map((name) => rendered(`k8s/jobs/${name}`)));
  return all.flat().map(asJob);
};

const referenced = ['NATS_URL', 'CLICKHOUSE_URL', 'REDIS_URL', 'S3_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

for (const folder of ['k8s/base', 'k8s/overlays/dev', 'k8s/overlays/prod', 'test/deploy/traced']) {
  describe(`the network policies of ${folder}`, () => {
    let objects: KubernetesObject[] = [];
    let policies: NetworkPolicy[] = [];
    before(async () => {
      objects = [...(await rendered(folder)), ...(await jobObjects())];
      policies = policiesIn(objects);
    });
    const of = (labels: Labels) => policiesOf(policies, labels);

    for (const name of [...services, 'migrate', ...jobs]) {
      it(`let ${name} reach DNS and the servers in its environment, and nothing else`, () => {
        const mine = of(podOf(objects, name).labels);
        const denied = mine.find(({ metadata }) => metadata.name === 'almanac-nothing');
        assert.deepEqual(denied?.spec.policyTypes, ['Ingress', 'Egress']);
        const allowed = mine.flatMap(({ spec }) => spec.egress.flatMap((rule) => rule.ports.map(({ port }) => port)));
        const variables = environmentOf(objects, name);
        const named = referenced.flatMap((variable) =>
          variables[variable] === undefined ? [] : [portOf(variables[variable])],
        );
        const needed = new Set([53, ...named, ...alsoConnectsTo(objects, name)]);
        assert.deepEqual(
          [...new Set(allowed)].toSorted((one, other) => one - other),
          [...needed].toSorted((one, other) => one - other),
        );
      });

      if (name === 'webhooks') {
        it('let webhooks reach no private address by the port of receivers', () => {
          const toReceivers = of(podOf(objects, name).labels)
            .flatMap(({ spec }) => spec.egress)
            .filter((rule) => rule.ports.some(({ port }) => port === 443));
          assert.equal(toReceivers.length, 1);
          const [ipv4, ipv6] = (toReceivers[0]?.to ?? []).map(({ ipBlock }) => ipBlock);
          const withheld = ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'];
          assert.deepEqual(ipv4, { cidr: '0.0.0.0/0', except: [...withheld, '192.168.0.0/16'] });
          assert.deepEqual(ipv6, { cidr: '2000::/3', except: [] });
        });
      }

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
  });
}
