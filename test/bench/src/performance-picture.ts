import type { Result } from './results.js';
import type { RunResults } from './run-results.js';

const width = 960;
const rowHeight = 18;
const top = 40;
const barsFrom = 430;
const barsTo = 900;
/** The ends of the axis, as multiples of the target. */
const [least, most] = [1 / 8, 8] as const;
const marks = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8];

const style = `
  text { font: 12px system-ui, sans-serif; fill: #222 }
  .axis { stroke: #bbb } .target { stroke: #222 }
  .met { fill: #2f7d4f } .short { fill: #c4572b }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } .axis { stroke: #555 } .target { stroke: #ddd }
    .met { fill: #5cb780 } .short { fill: #e58a5f }
  }
`;

/** How many times a row reaches its target: above 1 it does, whether the target is a minimum or a maximum. */
export const reached = ({ ratio, threshold }: Result): number | null => {
  if (threshold === null) return null;
  return 'atLeast' in threshold ? ratio / threshold.atLeast : threshold.below / ratio;
};

const xOf = (multiple: number): number => {
  const part = Math.log(Math.min(most, Math.max(least, multiple)) / least) / Math.log(most / least);
  return Math.round(barsFrom + part * (barsTo - barsFrom));
};

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** docs/images/performance.svg: a bar for each row with a target, from the target on a logarithmic axis. */
export const performancePicture = ({ rows }: RunResults): string => {
  const bars = rows.flatMap((row) => {
    const multiple = reached(row);
    return multiple === null ? [] : [{ row, multiple }];
  });
  const height = top + bars.length * rowHeight + 12;
  const axis = marks.flatMap((mark) => [
    `<text x="${xOf(mark)}" y="18" text-anchor="middle">${mark < 1 ? `1/${1 / mark}` : mark} x</text>`,
    `<line class="${mark === 1 ? 'target' : 'axis'}" x1="${xOf(mark)}" x2="${xOf(mark)}" y1="26" y2="${height - 8}"/>`,
  ]);
  const lines = bars.flatMap(({ row, multiple }, index) => {
    const y = top + index * rowHeight;
    const [from, to] = [xOf(1), xOf(multiple)];
    return [
      `<text x="${barsFrom - 10}" y="${y + 4}" text-anchor="end">${escaped(row.name)}</text>`,
      `<rect class="${row.short ? 'short' : 'met'}" x="${Math.min(from, to)}" y="${y - 6}" width="${Math.max(2, Math.abs(to - from))}" height="12"/>`,
      `<text x="${Math.max(from, to) + 6}" y="${y + 4}">${multiple.toFixed(2)}</text>`,
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    '<title>How many times each row of the benchmark reaches its target</title>',
    `<style>${style}</style>`,
    ...axis,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
};
