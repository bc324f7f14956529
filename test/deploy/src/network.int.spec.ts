import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { z } from 'zod';
import { asJob, environmentOf, type KubernetesObject, podOf, rendered } from './kubernetes.js';
import { services } from './service-configs.js';

type Labels = Readonly<Record<string, string>>;

const selector = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).default({}),
  matchExpressions: z
    .array(z.strictObject({ key: z.string(), operator: z.literal('In'), values: z.array(z.string()) }))
    .default([]),
});
const ports = z.array(z.strictObject({ protocol: z.enum(['TCP', 'UDP']), port: z.int() }));
const policy = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.strictObject({
    podSelector: selector,
    policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
    ingress: z.array(z.strictObject({ from: z.unknown().optional(), ports: ports.optional() })).default([]),
    egress: z.array(z.strictObject({ to: z.unknown().optional(), ports })).default([]),
  }),
});

const selects = ({ matchLabels, matchExpressions }: z.infer<typeof selector>, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''));

const portOf = (address: string): number => {
  const { port, protocol } = new URL(address);
  return port === '' ? ({ 'https:': 443, 'http:': 80 }[protocol] ?? Number.NaN) : Number(port);
};

/** Indirect connections: the gateway follows signed links of export, and Stripe is outside the cluster. */
const alsoConnectsTo = (objects: readonly KubernetesObject[], name: string): number[] => {
  if (name === 'gateway') return [portOf(environmentOf(objects, 'export')['S3_ENDPOINT'] ?? '')];
  return name === 'commerce' ? [443] : [];
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
    let policies: z.infer<typeof policy>[] = [];
    before(async () => {
      objects = [...(await rendered(folder)), ...(await jobObjects())];
      policies = objects.filter(({ kind }) => kind === 'NetworkPolicy').map((one) => policy.parse(one));
    });
    const of = (labels: Labels) => policies.filter(({ spec }) => selects(spec.podSelector, labels));

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
