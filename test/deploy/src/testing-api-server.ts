import { createServer, type Server } from 'node:http';

const plural = (kind: string): string => `${kind.toLowerCase().replace(/y$/, 'ie')}s`;
const served: Readonly<Record<string, readonly string[]>> = {
  v1: ['ConfigMap', 'Secret', 'Service', 'ServiceAccount', 'PersistentVolumeClaim', 'Pod'],
  'apps/v1': ['Deployment', 'StatefulSet'],
  'batch/v1': ['Job', 'CronJob'],
  'networking.k8s.io/v1': ['NetworkPolicy', 'Ingress'],
  'policy/v1': ['PodDisruptionBudget'],
};

const resourcesOf = (groupVersion: string) => ({
  kind: 'APIResourceList',
  groupVersion,
  resources: (served[groupVersion] ?? []).map((kind) => ({
    name: plural(kind),
    singularName: kind.toLowerCase(),
    kind,
    namespaced: true,
    verbs: ['get'],
  })),
});

const groups = Object.keys(served)
  .filter((groupVersion) => groupVersion.includes('/'))
  .map((groupVersion) => {
    const version = { groupVersion, version: 'v1' };
    return { name: groupVersion.split('/')[0], versions: [version], preferredVersion: version };
  });

const missing = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };

/** As much of an API server as Helm asks before it sends anything. It has these Secrets in the namespace `almanac`. */
export const testApiServer = (secrets: Readonly<Record<string, unknown>>): Server => {
  const answers = new Map<string, unknown>([
    ['/version', { major: '1', minor: '34', gitVersion: 'v1.34.0' }],
    ['/api', { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }],
    ['/apis', { kind: 'APIGroupList', apiVersion: 'v1', groups }],
    ...Object.keys(served).map((one): [string, unknown] => [
      one === 'v1' ? '/api/v1' : `/apis/${one}`,
      resourcesOf(one),
    ]),
    ...Object.entries(secrets).map(([name, secret]): [string, unknown] => [
      `/api/v1/namespaces/almanac/secrets/${name}`,
      secret,
    ]),
  ]);
  return createServer((request, response) => {
    const answer = answers.get(new URL(request.url ?? '', 'http://api').pathname);
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? missing));
  });
};
