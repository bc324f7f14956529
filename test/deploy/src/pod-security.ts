import { z } from 'zod';
import type { KubernetesObject } from './kubernetes.js';

/** What Pod Security `restricted` permits, and what it demands. Fields that no pod here has are refused. */
const container = z.object({
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
    readOnlyRootFilesystem: z.boolean().optional(),
  }),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int().min(1024) })).default([]),
});
const volume = z.union([
  z.strictObject({ name: z.string(), emptyDir: z.unknown() }),
  z.strictObject({ name: z.string(), configMap: z.unknown() }),
  z.strictObject({ name: z.string(), secret: z.unknown() }),
  z.strictObject({ name: z.string(), persistentVolumeClaim: z.unknown() }),
]);
const restricted = z.object({
  hostNetwork: z.undefined().optional(),
  hostPID: z.undefined().optional(),
  hostIPC: z.undefined().optional(),
  hostUsers: z.undefined().optional(),
  initContainers: z.undefined().optional(),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.int().min(1),
    runAsGroup: z.int().min(1),
    fsGroup: z.int().min(1),
    fsGroupChangePolicy: z.string(),
    seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
  }),
  containers: z.array(container).min(1),
  volumes: z.array(volume).default([]),
});

const template = z.object({ template: z.object({ spec: z.unknown() }) });
const forms = {
  Pod: z.object({ spec: z.unknown() }).transform(({ spec }) => spec),
  Deployment: z.object({ spec: template }).transform(({ spec }) => spec.template.spec),
  StatefulSet: z.object({ spec: template }).transform(({ spec }) => spec.template.spec),
  Job: z.object({ spec: template }).transform(({ spec }) => spec.template.spec),
  CronJob: z
    .object({ spec: z.object({ jobTemplate: z.object({ spec: template }) }) })
    .transform(({ spec }) => spec.jobTemplate.spec.template.spec),
};
const hasPods = (kind: string): kind is keyof typeof forms => Object.hasOwn(forms, kind);

/** What is wrong with each pod, by the name of its workload. */
export const podSecurityFaults = (objects: readonly KubernetesObject[]): string[] =>
  objects.flatMap((one) => {
    if (!hasPods(one.kind)) return [];
    const { error } = restricted.safeParse(forms[one.kind].parse(one));
    return error === undefined ? [] : [`${one.kind} ${one.metadata.name}: ${z.prettifyError(error)}`];
  });
