/** Keys in Redis. The server may be shared, so each key starts with `almanac:` and its topic. */
export const redisKeys = {
  /** The leases of each account, as a list. `2` is the version of its format. */
  leases: (account: string) => `almanac:limits:2:${account}`,
  /** Running gateways, by the time of their last heartbeat. */
  gateways: 'almanac:limits:gateways',
  /** The rejected API keys of a client address in the last minute. */
  failedKeys: (address: string) => `almanac:keys:failed:${address}`,
  /** One hash per account: key id -> Unix seconds. */
  lastUsed: (account: string) => `almanac:keys:used:${account}`,
  /** `2` is the version of the byte format. A release with another format does not find old entries. */
  preview: (token: string) => `almanac:preview:2:${token}`,
  previewLock: (token: string) => `almanac:preview:2:${token}:lock`,
  previewQueue: 'almanac:preview:queue',
} as const;

export const redisChannels = {
  /** What a gateway used of an account's window, for the other gateways, and that one has started. */
  leaseUsage: 'almanac:limits:usage',
} as const;
