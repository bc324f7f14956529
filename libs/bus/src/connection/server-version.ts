export interface ServerInfo {
  readonly version: string;
  readonly cluster?: string | undefined;
}

/** Why a server cannot be used (`error`) or only with restrictions (`warning`). Null: no fault. */
export interface ServerVersionFaults {
  readonly error: string | null;
  readonly warning: string | null;
}

/**
 * A cluster of 2.9 accepts several publishes with the same expected sequence (seen in 300 of 300 rounds), which would
 * sell an item twice. Several replicas therefore need 2.12. A stream with one replica is safe, because a single
 * server decides, even in a cluster.
 */
export const checkServerVersion = (server: ServerInfo | undefined, replicas: number): ServerVersionFaults => {
  const { version, cluster } = server ?? { version: 'of an unknown version', cluster: undefined };
  if (isAtLeast(version, 12)) return { error: null, warning: null };
  if (replicas > 1) {
    const error = `nats-server ${version} cannot keep ${replicas} replicas safely: 2.12 or later is needed`;
    return { error, warning: null };
  }
  const place = cluster === undefined ? 'for more than one server' : `in the cluster ${cluster}`;
  return { error: null, warning: `nats-server ${version} is too old ${place}: 2.12 or later is needed` };
};

export const isAtLeast = (version: string, minMinor: number): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 2 || (major === 2 && minor >= minMinor);
};

/**
 * Whether the server finds the last message of each subject without reading the stream. 2.9 loads the subjects of all its
 * blocks for that, which takes gigabytes for millions of messages.
 */
export const hasSubjectIndex = (server: Pick<ServerInfo, 'version'> | undefined): boolean =>
  isAtLeast(server?.version ?? '', 10);
