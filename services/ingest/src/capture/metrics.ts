import { readGauge } from '@almanac/runtime';
import type { Registry } from 'prom-client';

export interface CaptureFigures {
  readonly frames: number;
  readonly connections: number;
  readonly markets: number;
  readonly booksMissing: number;
  readonly gaps: number;
  readonly rows: number;
  readonly waiting_bytes: number;
}

const gauges: readonly (readonly [figure: keyof CaptureFigures, name: string, help: string])[] = [
  ['frames', 'frames', 'Frames of the venue since the start'],
  ['connections', 'connections', 'Connections that were opened since the start'],
  ['markets', 'markets', 'Markets that are followed now'],
  ['booksMissing', 'markets_in_doubt', 'Followed markets whose book is not whole now'],
  ['gaps', 'gaps', 'Gaps since the start'],
  ['rows', 'rows', 'Rows made since the start'],
  ['waiting_bytes', 'waiting_bytes', 'Bytes that wait for the archive'],
];

export const captureMetrics = (registry: Registry, figures: () => CaptureFigures): void => {
  for (const [figure, name, help] of gauges) {
    readGauge(`almanac_capture_${name}`, help, () => figures()[figure], registry);
  }
};
