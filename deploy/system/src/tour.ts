/** The way through the API, one curl line a step, for a person to copy; `{base}` and the key stand in each line. */
export const tourLines = (base: string): readonly { what: string; line: string }[] => {
  const api = `${base}/api/v1`;
  const get = (path: string) => `curl -s -H "Authorization: Bearer $KEY" '${api}${path}'`;
  return [
    { what: 'series, live first', line: get('/series?limit=3') },
    { what: 'search by words', line: get('/search?q=central+bank&limit=3') },
    {
      what: 'markets of a series',
      line: `${get('/markets?series=GENBTC15M&status=finalized&limit=1')} | tee /tmp/almanac-markets`,
    },
    { what: '', line: `TICKER=$(sed 's/.*"ticker":"\\([^"]*\\)".*/\\1/' /tmp/almanac-markets)` },
    { what: 'one market', line: get("/markets/'$TICKER'") },
    { what: 'preview: pending at first, then ready', line: get("/markets/'$TICKER'/preview") },
    { what: 'snapshots, one a minute', line: get("/markets/'$TICKER'/snapshots?step_ms=60000&limit=3") },
    {
      what: 'a CSV of the market',
      line: `curl -s -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"ticker":"'$TICKER'"}' '${api}/exports' | tee /tmp/almanac-export`,
    },
    { what: '', line: `EXPORT=$(sed 's/.*"id":"\\([^"]*\\)".*/\\1/' /tmp/almanac-export)` },
    {
      what: 'poll it until it is ready',
      line: `until ${get("/exports/'$EXPORT'")} | tee /dev/stderr | grep -q '"status":"ready"'; do sleep 1; done`,
    },
    { what: 'download it', line: `${get("/exports/'$EXPORT'/file")} | head -3` },
  ];
};

/** What `npm start` prints when everything runs. */
export const welcome = (base: string, key: string): string => {
  const steps = tourLines(base).map(({ what, line }) => (what === '' ? `  ${line}` : `  # ${what}\n  ${line}`));
  return [
    '',
    `Almanac answers at ${base}/api/v1`,
    '',
    'A tour, to be pasted into another terminal:',
    '',
    `  KEY=${key}`,
    ...steps,
    '',
    'Import a recording:  npm run import -- <files or folders>',
    'Ctrl-C stops everything; what is stored stays.',
    '',
  ].join('\n');
};
