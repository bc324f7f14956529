import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { processNames } from '@almanac/contracts';
import { z } from 'zod';
import { parseArguments } from '../../../services/ingest/dist/arguments.js';
import { captureArguments, readCaptureConfig } from '../../../services/ingest/dist/capture/capture-config.js';
import { readConfig } from '../../../services/ingest/dist/config.js';
import {
  environmentOf,
  type KubernetesObject,
  named,
  podOf,
  rendered,
  template,
  valuesOf,
  workloadsOf,
} from './kubernetes.js';
import { assertConfigures } from './service-configs.js';

const hooks = (one: KubernetesObject): string | undefined => one.metadata.annotations['helm.sh/hook'];
const cronJob = z.object({
  spec: z.object({ schedule: z.string(), suspend: z.boolean().default(false), concurrencyPolicy: z.literal('Forbid') }),
});
const replicas = z.object({ spec: z.object({ replicas: z.int() }) });

describe('the migrations', () => {
  it('are a hook before each release, which an earlier Job does not block', async () => {
    const [migrate] = workloadsOf(await rendered('standard'), 'migrate');
    assert.ok(migrate);
    assert.deepEqual([migrate.kind, migrate.metadata.name], ['Job', 'migrate']);
    assert.equal(hooks(migrate), 'pre-install,pre-upgrade');
    assert.equal(migrate.metadata.annotations['helm.sh/hook-delete-policy'], 'before-hook-creation');
  });

  it('use nothing that the release makes after them', async () => {
    const objects = await rendered('standard');
    const { container, serviceAccountName } = podOf(objects, 'migrate');
    assert.deepEqual(container.envFrom, []);
    const account = named(objects, 'ServiceAccount', serviceAccountName);
    const policy = named(objects, 'NetworkPolicy', 'almanac-migrate-to-clickhouse');
    for (const one of [account, policy]) {
      assert.equal(hooks(one), 'pre-install,pre-upgrade');
      assert.equal(one.metadata.annotations['helm.sh/hook-weight'], '-1');
    }
  });

  it('run beside the services if the release makes their Secret, under a name of their own', async () => {
    const [migrate] = workloadsOf(await rendered('everything'), 'migrate');
    assert.ok(migrate);
    assert.match(migrate.metadata.name, /^migrate-[0-9a-f]{8}$/);
    assert.equal(hooks(migrate), undefined);
    // Helm takes over no object of an earlier hook.
    assert.equal(hooks(named(await rendered('everything'), 'ServiceAccount', 'migrate')), 'pre-install,pre-upgrade');
    const [next] = workloadsOf(await template([...valuesOf('everything'), '--set', 'image.tag=0.2.0']), 'migrate');
    assert.notEqual(next?.metadata.name, migrate.metadata.name);
  });
});

describe('the work of an operator', () => {
  let objects: KubernetesObject[] = [];
  before(async () => {
    objects = await rendered('standard');
  });

  const jobs = [
    { name: 'backup', image: 'operator', program: 'dist/almanac.js backup' },
    { name: 'rebuild-catalogue', image: 'catalog', program: 'dist/rebuild/main.js' },
    { name: 'rebuild-exports', image: 'export', program: 'dist/rebuild/main.js' },
  ] as const;
  for (const { name, image, program } of jobs) {
    it(`run ${program} for ${name} with all the variables it needs`, () => {
      const { container } = podOf(objects, name);
      assert.match(container.image, new RegExp(`/${image}:\\d+\\.\\d+\\.\\d+$`));
      assert.ok(container.command?.join(' ').includes(program));
      assertConfigures(name, environmentOf(objects, name));
    });
  }

  it('are there for the command almanac in a pod of its own', () => {
    assertConfigures('backup', environmentOf(objects, 'operator'));
    assert.match(podOf(objects, 'operator').container.image, /\/operator:/);
  });

  it('back up every day, and remove what no rule keeps', () => {
    const { spec } = cronJob.parse(named(objects, 'CronJob', 'backup'));
    assert.deepEqual([spec.schedule, spec.suspend], ['17 3 * * *', false]);
    assert.match(
      podOf(objects, 'backup').container.command?.at(-1) ?? '',
      /--to "\/backups\/\$\(printf '%\(%Y-%m-%d-%H%M%S\)T'\)"\n.* expire --from \/backups --keep-daily 7 --keep-weekly 5 --yes$/,
    );
    const claim = named(objects, 'PersistentVolumeClaim', 'almanac-backups');
    assert.equal(claim.metadata.annotations['helm.sh/resource-policy'], 'keep');
  });

  it('rebuild nothing by themselves', () => {
    for (const name of ['rebuild-catalogue', 'rebuild-exports'])
      assert.equal(cronJob.parse(named(objects, 'CronJob', name)).spec.suspend, true);
  });
});

describe('a restore', () => {
  let objects: KubernetesObject[] = [];
  before(async () => {
    objects = await template([...valuesOf('everything'), '--set', 'restore.from=2026-11-21']);
  });

  it('runs while there is no process, scaling, import or migration', () => {
    const kinds = new Set(objects.map(({ kind }) => kind));
    for (const kind of ['ScaledObject', 'HorizontalPodAutoscaler']) assert.ok(!kinds.has(kind), kind);
    assert.deepEqual(workloadsOf(objects, 'migrate'), []);
    for (const name of [...processNames, 'capture'])
      for (const one of workloadsOf(objects, name)) assert.equal(replicas.parse(one).spec.replicas, 0, name);
    for (const one of objects.filter(({ kind }) => kind === 'CronJob'))
      assert.equal(cronJob.parse(one).spec.suspend, true, one.metadata.name);
    const jobs = objects.filter(({ kind }) => kind === 'Job').map(({ metadata }) => metadata.name);
    assert.match(jobs.join(' '), /^restore-[0-9a-f]{8}$/);
  });

  it('reads the named backup with all the variables that it needs', () => {
    const { container } = podOf(objects, 'restore');
    assert.equal(container.command?.join(' ').split(' dist/')[1], 'almanac.js restore --from /backups/2026-11-21');
    assertConfigures('restore', environmentOf(objects, 'restore'));
    assert.deepEqual(container.volumeMounts[0], { name: 'backups', mountPath: '/backups' });
  });
});

describe('imports', () => {
  const folders = { files: '/files', home: '/var/lib/almanac', temporary: '/tmp', certificates: '/etc/almanac/nats' };
  let objects: KubernetesObject[] = [];
  before(async () => {
    objects = await rendered('everything');
  });
  const podNamed = (name: string) => podOf([named(objects, 'CronJob', name)], 'ingest').container;

  it('of a volume wait until the operator creates a Job', () => {
    const { spec } = cronJob.parse(named(objects, 'CronJob', 'ingest-archive'));
    assert.equal(spec.suspend, true);
    const container = podNamed('ingest-archive');
    const parsed = parseArguments(container.args, '/');
    assert.deepEqual(parsed?.paths, [folders.files]);
    assert.equal(parsed.sampleUs, 60_000_000);
    const mounted = container.volumeMounts.map(({ mountPath }) => mountPath);
    assert.deepEqual(new Set(mounted), new Set(Object.values(folders)));
  });

  it('of a bucket have a schedule, and a volume for what was read', () => {
    const { spec } = cronJob.parse(named(objects, 'CronJob', 'ingest-daily'));
    assert.deepEqual([spec.schedule, spec.suspend], ['0 4 * * *', false]);
    named(objects, 'PersistentVolumeClaim', 'ingest-daily');
    const container = podNamed('ingest-daily');
    const parsed = parseArguments(container.args, '/');
    assert.deepEqual([parsed?.paths, parsed?.mapping], [['s3://recordings/day'], '/etc/almanac/mapping.yaml']);
    const names = container.env.map(({ name }) => name);
    for (const name of ['AWS_ENDPOINT_URL_S3', 'AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
      assert.ok(names.includes(name), name);
  });

  it('have the address and the login of NATS', async () => {
    const config = await readConfig(environmentOf(objects, 'ingest'));
    assert.deepEqual([config.NATS_USER, config.NATS_URL.split(',').length], ['ingest', 2]);
  });
});

describe('captures', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

  it('are a StatefulSet for each series of a venue, with a volume of its own', async () => {
    const objects = await rendered('everything');
    const captures = workloadsOf(objects, 'capture');
    assert.deepEqual(captures.map(({ metadata }) => metadata.name).toSorted(), [
      'capture-kalshi-kx-eth',
      'capture-kalshi-kxbtc15m',
      'capture-polymarket-btc-updown-5m',
    ]);
    for (const one of captures) {
      assert.equal(one.kind, 'StatefulSet');
      assert.equal(replicas.parse(one).spec.replicas, 1);
      named(objects, 'Service', one.metadata.name);
    }
  });

  it('start with their arguments and variables, and record into the volume', async () => {
    const objects = await rendered('everything');
    for (const one of workloadsOf(objects, 'capture')) {
      const all = [one, ...objects.filter(({ kind }) => kind === 'ConfigMap')];
      const { container, volumeClaimTemplates } = podOf(all, 'capture');
      const args = captureArguments(container.args);
      const environment = environmentOf(all, 'capture');
      assert.deepEqual('KALSHI_PRIVATE_KEY' in environment, args.venue === 'kalshi');
      const config = await readCaptureConfig({ ...environment, KALSHI_PRIVATE_KEY: key }, args);
      assert.equal(config.NATS_USER, 'ingest');
      assert.equal(config.folder, '/var/lib/almanac/captures');
      assert.deepEqual(
        volumeClaimTemplates.map(({ metadata }) => metadata.name),
        [container.volumeMounts[0]?.name],
      );
      assert.ok(container.livenessProbe !== undefined && container.readinessProbe !== undefined);
    }
  });
});
