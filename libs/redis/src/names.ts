/** The keys in Redis, which others may share with us: each begins with `almanac:` and what it is about. */
export const redisKeys = {
  /** A list of leases of requests, for each account. */
  leases: (account: string) => `almanac:limits:${account}`,
  /** Gateways that are there, by when they said so. */
  gateways: 'almanac:limits:gateways',
  /** One hash for each account: key id -> Unix seconds. */
  lastUsed: (account: string) => `almanac:keys:used:${account}`,
  /** `2` is the format of the bytes: a release that writes others counts it up and finds none of the old. */
  preview: (token: string) => `almanac:preview:2:${token}`,
  /** Held by whoever prepares the preview. */
  previewLock: (token: string) => `almanac:preview:2:${token}:lock`,
  /** Markets whose previews are to be prepared, by their time. */
  previewQueue: 'almanac:preview:due',
} as const;

export const redisChannels = {
  /** What a gateway took of an account's window, for the other gateways. */
  leaseUsage: 'almanac:limits:taken',
} as const;
