export interface TourStep {
  readonly what: string;
  readonly line: string;
}

/** A tour of the API, one line per step, to paste into bash. `$KEY` must be set. */
export const tourLines = (base: string): readonly TourStep[] => {
  const curl = (path: string, more = '') =>
    `curl -s -w '\\n' -H "Authorization: Bearer $KEY" ${more}"${base}/api/v1${path}"`;
  const post = `-H 'Content-Type: application/json' -d '{"ticker": "'$TICKER'", "format": "csv"}' `;
  return [
    { what: 'series, live ones first', line: curl('/series?limit=3') },
    { what: 'search by words', line: curl('/search?q=central+bank&limit=3') },
    {
      what: 'the newest settled market of a series',
      line: `MARKETS=$(${curl('/markets?series=GENBTC15M&status=finalized&limit=1')}); echo "$MARKETS"`,
    },
    { what: 'its ticker', line: `TICKER=$(echo "$MARKETS" | sed 's/.*"ticker":"\\([^"]*\\)".*/\\1/'); echo "$TICKER"` },
    { what: 'one market', line: curl('/markets/$TICKER') },
    { what: 'its preview: pending at first, ready when asked again', line: curl('/markets/$TICKER/preview') },
    { what: 'its observations, one a minute', line: curl('/markets/$TICKER/snapshots?step_ms=60000&limit=3') },
    { what: 'ask for a CSV of it', line: `EXPORT=$(${curl('/exports', post)}); echo "$EXPORT"` },
    {
      what: 'poll until it is ready',
      line: [
        `ID=$(echo "$EXPORT" | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')`,
        `until STATE=$(${curl('/exports/$ID')}); echo "$STATE"; [[ $STATE == *'"status":"ready"'* ]]; do sleep 1; done`,
      ].join('; '),
    },
    { what: 'download it', line: `${curl('/exports/$ID/file')} | head -3` },
  ];
};

export const welcome = (base: string, key: string): string => {
  const steps = tourLines(base).map(({ what, line }) => `  ${line}  # ${what}`);
  return [
    '',
    `Almanac answers at ${base}/api/v1; its reference to browse: ${base}/docs`,
    `Demo key ${key} (plan full_book)`,
    '',
    'A tour, to be pasted line by line into bash:',
    '',
    `  KEY=${key}`,
    ...steps,
    '',
    'Import a recording:  npm run import -- <files or folders>',
    'Ctrl-C stops everything; what is stored stays.',
    '',
  ].join('\n');
};
