import type { ProcessStatus } from '@almanac/contracts';

/** Something that is wrong, and what to do about it; a sentence each. */
export interface Fault {
  readonly fault: string;
  readonly remedy: string;
}

export interface SystemState {
  readonly processes: readonly ProcessStatus[];
  /** When they were asked, by the clock of who asked, in integer microseconds. */
  readonly queriedUs: number;
  /** The server that was asked through. */
  readonly server: { readonly version: string; readonly cluster?: string };
  /** Folder of the data of all servers, where they run on this machine. */
  readonly home?: string;
  /** Where a server of NATS tells of itself, `http://host:8222`. */
  readonly natsMonitor?: string;
}
