import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { csvOfStack, download, pngOf, type PictureTexts, svgOf } from '../charts/picture.js';
import { useAsOf } from '../api/as-of.js';
import type { Window } from '../charts/window.js';
import { dateTime } from '../format/time.js';
import { copyText } from './copy-text.js';

interface ShareProps {
  readonly title: string;
  /** The market or event, which also names the files. */
  readonly id: string;
  readonly shown: Window;
}

const shownMs = 2_000;
const files = { png: pngOf, svg: svgOf, csv: csvOfStack } as const;

/** What others can be given of a chart: its address, a picture, and its numbers. */
export const Share = ({ title, id, shown }: ShareProps): ReactNode => {
  const asOf = useAsOf();
  const details = useRef<HTMLDetailsElement>(null);
  const [said, setSaid] = useState('');
  const say = (text: string): void => {
    setSaid(text);
    setTimeout(() => setSaid(''), shownMs);
  };
  const copy = async (): Promise<void> =>
    say((await copyText(location.href)) ? 'Copied' : 'The browser refused. Copy the address of the page.');
  const save = async (kind: keyof typeof files): Promise<void> => {
    const stack = details.current?.closest('.charts')?.querySelector('.chart-stack');
    if (stack === null || stack === undefined) return;
    download(await files[kind](stack, textsOf({ title, id, shown }, asOf)), `${fileNameOf(id)}.${kind}`);
    details.current?.removeAttribute('open');
  };
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key !== 'Escape') return;
    details.current?.removeAttribute('open');
    details.current?.querySelector('summary')?.focus();
  };
  return (
    <>
      <button type="button" onClick={() => void copy()} title="The address of exactly this view">
        {said === 'Copied' ? 'Copied' : 'Copy link'}
      </button>
      <span role="status" className="visually-hidden">
        {said}
      </span>
      <details className="copy-as share" ref={details} onKeyDown={onKeyDown}>
        <summary className="button">Save</summary>
        <div className="copy-as-panel">
          {(['png', 'svg', 'csv'] as const).map((kind) => (
            <button key={kind} type="button" onClick={() => void save(kind)}>
              {kind === 'csv' ? 'Numbers (CSV)' : `Picture (${kind.toUpperCase()})`}
            </button>
          ))}
        </div>
      </details>
    </>
  );
};

const fileNameOf = (id: string): string => id.replaceAll(/[^\w.-]+/g, '_');

const textsOf = ({ title, id, shown }: ShareProps, asOf: number | undefined): PictureTexts => {
  const time = `${dateTime(Math.round(shown.from))} to ${dateTime(Math.round(shown.to))}`;
  const known = `as known at ${dateTime(asOf ?? Math.floor(Date.now() / 1_000))}`;
  return { title, source: `Almanac, ${location.host} · ${id} · ${time} · ${known}` };
};
