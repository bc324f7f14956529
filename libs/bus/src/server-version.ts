/** What a server says of itself when it is connected to. */
export interface ServerInfo {
  readonly version: string;
  /** The name of the cluster that it is part of. */
  readonly cluster?: string | undefined;
}

/** Why a server cannot be worked with (`error`), or only with care (`warning`); null where it can. */
export interface ServerVersionFaults {
  readonly error: string | null;
  readonly warning: string | null;
}

/**
 * A cluster of 2.9 accepts several publishes with one expected sequence (seen in 300 of 300 rounds), which would sell
 * a thing twice; so several replicas need 2.12. Of a stream with one copy one server decides, also in a cluster.
 */
export const checkServerVersion = (server: ServerInfo | undefined, replicas: number): ServerVersionFaults => {
  const { version, cluster } = server ?? { version: 'of an unknown version', cluster: undefined };
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 2 || (major === 2 && minor >= 12)) return { error: null, warning: null };
  if (replicas > 1) {
    const error = `nats-server ${version} cannot keep ${replicas} replicas safely: 2.12 or later is needed`;
    return { error, warning: null };
  }
  const place = cluster === undefined ? 'for more than one server' : `in the cluster ${cluster}`;
  return { error: null, warning: `nats-server ${version} is too old ${place}: 2.12 or later is needed` };
};
