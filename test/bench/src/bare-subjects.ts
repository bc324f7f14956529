/** Subjects of the bare pipe, on a NATS server of its own without users. */
export const bareSubjects = { snapshots: 'bare.snapshots', echo: 'bare.echo' } as const;
