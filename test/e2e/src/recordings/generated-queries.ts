import assert from 'node:assert/strict';
import type { SearchRecordings } from './search-suite.js';

/** Queries for the generated catalogue with these files. */
export const generatedQueries = (
  files: Readonly<Record<string, string>>,
): Pick<SearchRecordings, 'queries' | 'listed'> => {
  const tickers = [files['markets_data.json'], files['markets_dollars.json']]
    .flatMap((text) => [...(text ?? '').matchAll(/"ticker": ?"([^"]+)"/gu)])
    .map(([, ticker = '']) => ticker);
  const ofTopic = (prefix: string): string[] => tickers.filter((ticker) => ticker.startsWith(prefix)).toSorted();
  /** The series of a topic have equal titles. Those with markets come first. */
  const seriesOf = (prefix: string): string => {
    const [first] = ofTopic(prefix).map((ticker) => ticker.slice(0, ticker.indexOf('-')));
    assert.ok(first, `no market of ${prefix}`);
    return first;
  };
  // The title of a market has neither its event's words nor those of its series.
  const [rain = ''] = ofTopic('KXRAINDEN');
  const [, year = '', strike = ''] = /-(\d+)-(.+)$/u.exec(rain) ?? [];
  const ofEvent = `denver rain 20${year} ${strike}`;
  return {
    queries: [
      { q: 'KXROBOTS', first: 'KXROBOTS', about: 'id' },
      { q: 'next prime minister', first: seriesOf('KXPMNEXT'), about: 'title' },
      { q: 'inflation core', first: seriesOf('KXCPICORE'), about: 'words' },
      { q: ofEvent, first: rain, about: 'event' },
      { q: 'robot mars', first: seriesOf('KXROBOTS'), about: 'number' },
      { q: 'cups winners', first: seriesOf('KXCUP'), about: 'number' },
      { q: 'prímé minister', first: seriesOf('KXPMNEXT'), about: 'accents' },
      { q: 'primeminister', first: seriesOf('KXPMNEXT'), about: 'joined' },
      { q: 'bitcoin 15 minute', first: 'KXBTC15M', about: 'names' },
      { q: 'who is the next prime minister', first: seriesOf('KXPMNEXT'), about: 'fill' },
      { q: 'prime minster', first: seriesOf('KXPMNEXT'), about: 'spelling' },
    ],
    listed: { q: ofEvent, ticker: rain },
  };
};
