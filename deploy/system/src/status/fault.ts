import type { ProcessStatus } from '@almanac/contracts';

export interface Fault {
  readonly fault: string;
  readonly remedy: string;
}

export interface SystemState {
  readonly processes: readonly ProcessStatus[];
  /** When the processes were queried, by this machine's clock, in integer microseconds. */
  readonly queriedUs: number;
  readonly server: { readonly version: string; readonly cluster?: string };
  /** Folder of all servers' data, if they run on this machine. */
  readonly home?: string;
  /** Address of a NATS server's HTTP monitoring, `http://host:8222`. */
  readonly natsMonitor?: string;
}
