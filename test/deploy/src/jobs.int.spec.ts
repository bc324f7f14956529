import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { CronJob } from 'kubernetes-models/batch/v1/CronJob';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { asJob, environmentOf, type KubernetesObject, podOf, rendered } from './kubernetes.js';
import { readText } from './repository.js';
import { assertConfigures } from './service-configs.js';

const models = { CronJob, Job, PersistentVolumeClaim, ServiceAccount };
const isModel = (kind: string): kind is keyof typeof models => Object.hasOwn(models, kind);

const jobs = [
  { name: 'backup', image: 'operator', program: 'dist/almanac.js backup' },
  { name: 'rebuild-catalogue', image: 'catalog', program: 'dist/rebuild/main.js' },
  { name: 'rebuild-exports', image: 'export', program: 'dist/rebuild/main.js' },
] as const;

for (const { name, image, program } of jobs) {
  describe(`k8s/jobs/${name}`, () => {
    let own: KubernetesObject[] = [];
    /** With the maps of the base, which the Job reads. */
    let objects: KubernetesObject[] = [];
    before(async () => {
      own = await rendered(`k8s/jobs/${name}`);
      objects = [...own.map(asJob), ...(await rendered('k8s/base'))];
    });

    it('is valid by the API, in the namespace of k8s/overlays/prod', () => {
      for (const one of own) {
        assert.ok(isModel(one.kind), one.kind);
        assert.equal(one.metadata.namespace, 'almanac');
        const Model: new (data: never) => { validate(): void } = models[one.kind];
        const model = new Model(one as never);
        assert.doesNotThrow(() => model.validate(), `${one.kind} ${one.metadata.name}`);
      }
    });

    it('runs its program with all the variables it needs, and secrets that docs/deploy.md names', async () => {
      const { container } = podOf(objects, name);
      assert.match(container.image, new RegExp(`^almanac/${image}:\\d+\\.\\d+\\.\\d+$`));
      assert.ok(container.command?.join(' ').includes(program));
      assertConfigures(name, environmentOf(objects, name));
      const page = await readText('docs/deploy.md');
      for (const one of container.env) {
        if ('value' in one) continue;
        const { name: secret, key } = one.valueFrom.secretKeyRef;
        const row = page.split('\n').find((line) => line.startsWith(`| \`${secret}\``)) ?? '';
        assert.ok(row.includes(`\`${key}\``), `${secret}/${key}`);
      }
    });
  });
}
