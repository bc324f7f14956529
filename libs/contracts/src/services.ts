/** What answers contracts. */
export const serviceNames = ['catalog', 'timeseries', 'export', 'commerce', 'keys', 'webhooks'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Each has a login of its own at NATS. */
export const userNames = ['gateway', ...serviceNames, 'ingest', 'operator', 'subscriber'] as const;
export type UserName = (typeof userNames)[number];
