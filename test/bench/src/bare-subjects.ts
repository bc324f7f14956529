/** Subjects of the bare server, on a separate NATS server without users. */
export const bareSubjects = { snapshots: 'bare.snapshots', echo: 'bare.echo' } as const;
