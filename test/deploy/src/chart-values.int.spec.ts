import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { processNames } from '@almanac/contracts';
import { z } from 'zod';
import { environmentOf, type KubernetesObject, named, podOf, rendered, template, valuesOf } from './kubernetes.js';
import { readRules, ruleFiles } from './observability-files.js';
import { readText } from './repository.js';
import { testApiServer } from './testing-api-server.js';

const chartRules = z.object({ spec: z.unknown() });

const refusal = async (args: readonly string[]): Promise<string> => {
  const failed: unknown = await template(args).then(
    () => assert.fail('Helm accepted it'),
    (error: unknown) => error,
  );
  assert.ok(failed instanceof Error);
  return failed.message;
};

describe('the values of the chart', () => {
  it('are refused with an unknown key, at every level', async () => {
    for (const key of ['replicas', 'nats.urls', 'services.gateway.replica', 'services.gatewey.replicas'])
      assert.match(await refusal([...valuesOf('standard'), '--set', `${key}=2`]), /additional properties|not allowed/);
  });

  it('are refused without the address of a server, with what is to be set', async () => {
    const set = ['nats.url', 'clickhouse.url', 'redis.url', 's3.endpoint'];
    for (const name of set) {
      const others = set.filter((one) => one !== name).flatMap((one) => ['--set', `${one}=http://a:1`]);
      assert.match(await refusal(others), new RegExp(`Set ${name.replace('.', String.raw`\.`)} to `), name);
    }
  });

  it('are refused without what an option needs', async () => {
    const options = {
      'ingress.hosts=[]': 'Set ingress.hosts to ',
      'httpRoute.enabled=true': 'Set httpRoute.parentRefs to ',
      'certificate.enabled=true': 'Set certificate.issuerRef.name to ',
      'nats.tls={"enabled":true,"certificate":{"enabled":true}}': 'Set nats.tls.certificate.issuerRef.name to ',
      'externalSecrets.enabled=true': 'Set externalSecrets.secretStoreRef.name to ',
      'keda.prometheus=""': 'Set keda.prometheus to ',
      'capture.venues.kalshi={"series":{"X":{}},"secretVariables":{"A":"a"}}':
        'Set capture.venues.kalshi.existingSecret.',
    };
    for (const [option, message] of Object.entries(options))
      assert.ok((await refusal([...valuesOf('large'), '--set-json', option])).includes(message), option);
  });

  it('are refused with a variable that the chart makes itself', async () => {
    const variables = ['env.NATS_REPLICAS', 'env.NATS_URL', 'env.HEALTH_PORT', 'services.gateway.env.PORT'];
    for (const name of variables) {
      const message = await refusal([...valuesOf('standard'), '--set-string', `${name}=1`]);
      assert.ok(message.includes(`${name}: the chart makes this variable`), message);
    }
  });

  it('are described, each that a template reads', async () => {
    const values = await readText('k8s/chart/values.yaml');
    assert.doesNotMatch(values, /password|secretKey|token/i);
    const schema = z.looseObject({ properties: z.record(z.string(), z.unknown()) });
    const { properties } = schema.parse(JSON.parse(await readText('k8s/chart/values.schema.json')));
    const keys = [...values.matchAll(/^(\w+):/gm)].map(([, key = '']) => key);
    assert.deepEqual(new Set(Object.keys(properties).filter((key) => key !== 'global')), new Set(keys));
  });

  it('let TLS to NATS begin with the clients', async () => {
    const on = ['--set', 'nats.tls.enabled=true', '--set', 'nats.tls.required=false'];
    const objects = await template([...valuesOf('standard'), ...on]);
    const { NATS_CA_FILE: demanded, NODE_EXTRA_CA_CERTS: trusted } = environmentOf(objects, 'gateway');
    assert.deepEqual([demanded, trusted], [undefined, '/etc/almanac/nats/ca.crt']);
  });

  it('read every metric once', async () => {
    const both = ['--set', 'monitoring.podMonitor.enabled=true', '--set', 'monitoring.serviceMonitor.enabled=true'];
    assert.match(await refusal([...valuesOf('standard'), ...both]), /every pod would be read twice/);
  });
});

describe('what others manage', () => {
  let objects: KubernetesObject[] = [];
  before(async () => {
    objects = await rendered('everything');
  });

  it('is the only place of secrets, whose names the values state', async () => {
    for (const profile of ['standard', 'everything'] as const)
      assert.deepEqual(
        (await rendered(profile)).filter(({ kind }) => kind === 'Secret'),
        [],
      );
    const made = objects.filter(({ kind }) => kind === 'ExternalSecret').map(({ metadata }) => metadata.name);
    assert.deepEqual(made.toSorted(), [
      'almanac-clickhouse',
      'almanac-redis',
      'almanac-s3',
      'almanac-s3-slabs',
      'almanac-session',
      'almanac-stripe',
      'almanac-webhooks',
      'my-nats',
    ]);
  });

  it('ends TLS before the gateway, which trusts it for the address of the client', async () => {
    const ingress = z
      .object({ spec: z.object({ tls: z.array(z.object({ secretName: z.literal('almanac-tls') })).min(1) }) })
      .parse(named(objects, 'Ingress', 'gateway'));
    assert.ok(ingress.spec.tls[0]?.secretName);
    assert.deepEqual(named(objects, 'Ingress', 'gateway').metadata.annotations, {});
    assert.deepEqual(named(objects, 'HTTPRoute', 'gateway').metadata.annotations, {});
    assert.equal(environmentOf(objects, 'gateway')['TRUST_PROXY'], 'uniquelocal');
    const { spec } = z
      .object({ spec: z.object({ secretName: z.string(), dnsNames: z.array(z.string()) }) })
      .parse(named(objects, 'Certificate', 'gateway'));
    assert.deepEqual(spec, { ...spec, secretName: 'almanac-tls', dnsNames: ['api.example.com'] });
  });

  it('has the certificates for NATS, in each pod that connects to it', () => {
    const certificate = z
      .object({ spec: z.object({ secretName: z.string(), usages: z.array(z.string()) }) })
      .parse(named(objects, 'Certificate', 'nats-clients'));
    assert.deepEqual(certificate.spec, {
      secretName: 'almanac-nats-tls',
      usages: ['client auth', 'digital signature'],
    });
    const kinds = new Set(['Deployment', 'StatefulSet', 'CronJob', 'Job']);
    const workloads = objects.filter(({ kind }) => kinds.has(kind));
    const names = new Set(workloads.map(({ metadata }) => metadata.labels['app.kubernetes.io/name'] ?? ''));
    const connected = [...names].filter((name) => environmentOf(objects, name)['NATS_PASSWORD'] !== undefined);
    assert.ok(connected.length > processNames.length);
    for (const name of connected) {
      const { container, volumes } = podOf(objects, name);
      const { NATS_CA_FILE: authority = '', NATS_CERT_FILE: shown = '' } = environmentOf(objects, name);
      const [mount] = container.volumeMounts.filter(({ mountPath }) => authority === `${mountPath}/ca.crt`);
      assert.equal(shown, `${mount?.mountPath}/tls.crt`, name);
      const volume = volumes.find((one) => one.name === mount?.name);
      assert.deepEqual(volume?.['secret'], { secretName: 'almanac-nats-tls', defaultMode: 0o440 });
    }
  });

  it('gets the alerts and the dashboard that compose has', async () => {
    const { spec } = chartRules.parse(named(objects, 'PrometheusRule', 'almanac'));
    const groups = await Promise.all(ruleFiles.map(async (file) => (await readRules(file)).groups));
    const withLinks = JSON.stringify({ groups: groups.flat() }).replaceAll(
      'docs/runbooks/',
      'https://git.example.com/runbooks/',
    );
    assert.deepEqual(spec, JSON.parse(withLinks));
    const { data } = z
      .object({ data: z.object({ 'almanac.json': z.string() }) })
      .parse(named(objects, 'ConfigMap', 'almanac-dashboard'));
    assert.equal(data['almanac.json'], await readText('deploy/observe/dashboard.json'));
  });
});

describe('generated Secrets', () => {
  const stored = Buffer.from('stored').toString('base64');
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'almanac-webhooks',
      namespace: 'almanac',
      labels: { 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: { 'meta.helm.sh/release-name': 'almanac', 'meta.helm.sh/release-namespace': 'almanac' },
    },
    data: { secret: stored, earlier: stored },
  };
  const certificate = {
    ...secret,
    metadata: { ...secret.metadata, name: 'almanac-nats-tls' },
    data: { 'ca.crt': stored, 'tls.crt': stored, 'tls.key': stored },
  };
  const server = testApiServer({ 'almanac-webhooks': secret, 'almanac-nats-tls': certificate });
  let dir = '';
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-chart-'));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    const cluster = { cluster: { server: `http://127.0.0.1:${address.port}` }, name: 'test' };
    const context = { context: { cluster: 'test', user: '' }, name: 'test' };
    const config = { apiVersion: 'v1', kind: 'Config', clusters: [cluster], contexts: [context] };
    await writeFile(join(dir, 'config'), JSON.stringify({ ...config, 'current-context': 'test' }));
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await rm(dir, { recursive: true });
  });
  const data = z.object({ data: z.record(z.string(), z.string()) });

  it('keep their values at an upgrade, and those that somebody added', async () => {
    const environment = { KUBECONFIG: join(dir, 'config') };
    const objects = await template(
      [...valuesOf('small'), '--set', 'nats.tls.enabled=true', '--dry-run=server', '--disable-openapi-validation'],
      environment,
    );
    assert.deepEqual(data.parse(named(objects, 'Secret', 'almanac-webhooks')).data, secret.data);
    assert.deepEqual(data.parse(named(objects, 'Secret', 'almanac-nats-tls')).data, certificate.data);
    // This one is missing, so that it is made.
    assert.notEqual(data.parse(named(objects, 'Secret', 'almanac-session')).data['secret'], stored);
  });

  it('stay when the release is removed', async () => {
    const objects = await rendered('small');
    for (const one of objects.filter(({ kind }) => kind === 'Secret'))
      assert.equal(one.metadata.annotations['helm.sh/resource-policy'], 'keep');
  });
});
