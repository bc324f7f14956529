import { z } from 'zod';
import type { KubernetesObject } from './kubernetes.js';

export type Labels = Readonly<Record<string, string>>;

const selector = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).default({}),
  matchExpressions: z
    .array(z.strictObject({ key: z.string(), operator: z.literal('In'), values: z.array(z.string()) }))
    .default([]),
});
const peers = z.array(z.strictObject({ namespaceSelector: selector.optional(), podSelector: selector.optional() }));
/** Where a connection may lead. The filter of the containers does not apply it: it opens the ports to all. */
const targets = z.array(
  z.union([
    z.strictObject({ ipBlock: z.strictObject({ cidr: z.string(), except: z.array(z.string()).default([]) }) }),
    z.strictObject({ podSelector: selector }),
  ]),
);
const ports = z.array(z.strictObject({ protocol: z.enum(['TCP', 'UDP']), port: z.int() }));
/** Strict, so that a field of which the tests know nothing fails. */
const policy = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.strictObject({
    podSelector: selector,
    policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
    ingress: z.array(z.strictObject({ from: peers.optional(), ports: ports.optional() })).default([]),
    egress: z.array(z.strictObject({ ports, to: targets.optional() })).default([]),
  }),
});
export type NetworkPolicy = z.infer<typeof policy>;

export const policiesIn = (objects: readonly KubernetesObject[]): NetworkPolicy[] =>
  objects.filter(({ kind }) => kind === 'NetworkPolicy').map((one) => policy.parse(one));

const selects = ({ matchLabels, matchExpressions }: z.infer<typeof selector>, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''));

/** The policies of a pod with these labels. */
export const policiesOf = (policies: readonly NetworkPolicy[], labels: Labels): NetworkPolicy[] =>
  policies.filter(({ spec }) => selects(spec.podSelector, labels));

/** What can be at the other end of a connection. */
export interface Peer {
  readonly address: string;
  readonly labels: Labels;
  /** Undefined: the namespace of the policies. */
  readonly namespaceLabels?: Labels | undefined;
}

type From = NonNullable<NetworkPolicy['spec']['ingress'][number]['from']>[number];

const isAmong = ({ namespaceSelector, podSelector }: From, { labels, namespaceLabels }: Peer): boolean =>
  (namespaceSelector === undefined
    ? namespaceLabels === undefined
    : selects(namespaceSelector, namespaceLabels ?? {})) &&
  (podSelector === undefined || selects(podSelector, labels));

/**
 * Rules of nftables for the network namespace of a pod, which admit what its policies admit. A connection inside the pod
 * and answers pass. As with Kubernetes, a pod that no policy selects for a direction has no limit there, and the node may
 * always connect.
 */
export const nftablesOf = (
  policies: readonly NetworkPolicy[],
  labels: Labels,
  { others, node }: { others: readonly Peer[]; node: string },
): string => {
  const own = policiesOf(policies, labels).map(({ spec }) => spec);
  const isIsolated = (type: 'Ingress' | 'Egress') => own.some(({ policyTypes }) => policyTypes.includes(type));
  const incoming = own
    .flatMap(({ ingress }) => ingress)
    .flatMap((rule) => accepted(rule.ports, sources(rule.from, others)));
  const outgoing = own.flatMap(({ egress }) => egress).flatMap((rule) => accepted(rule.ports, ['']));
  return ['table inet pod', 'delete table inet pod', 'table inet pod {']
    .concat(isIsolated('Ingress') ? chain('input', 'iif', [`ip saddr ${node} accept`, ...incoming]) : [])
    .concat(isIsolated('Egress') ? chain('output', 'oif', outgoing) : [], '}', '')
    .join('\n');
};

const chain = (hook: string, device: string, rules: readonly string[]): string[] => [
  `chain ${hook} { type filter hook ${hook} priority 0; policy accept;`,
  `${device} "lo" accept`,
  'ct state established,related accept',
  ...rules,
  // A cluster drops instead. So a test would wait.
  'reject with icmpx type admin-prohibited',
  '}',
];

const sources = (from: readonly From[] | undefined, others: readonly Peer[]): string[] => {
  if (from === undefined) return [''];
  const admitted = others.filter((peer) => from.some((one) => isAmong(one, peer)));
  return admitted.map(({ address }) => `ip saddr ${address} `);
};

const accepted = (allowed: z.infer<typeof ports> | undefined, places: readonly string[]): string[] =>
  places.flatMap((place) =>
    allowed === undefined
      ? [`${place}accept`]
      : allowed.map(({ protocol, port }) => `${place}${protocol.toLowerCase()} dport ${port} accept`),
  );
