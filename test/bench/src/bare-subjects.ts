/** Subjects of the bare pipe, on a NATS server of its own without users. */
export const bareSubjects = { snapshots: 'bare.snapshots', detail: 'bare.detail' } as const;
