/** One search: its kind, for the figures by kind, and its query. */
export interface Search {
  readonly kind: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Existing ids, spread over the whole catalogue. */
export interface KnownIds {
  readonly markets: readonly string[];
  readonly events: readonly string[];
  readonly series: readonly string[];
}

const listed = (text: string): string[] => text.split(', ');

const broad = listed(
  'bitcoin, price, above, temperature, points, primary, win, exchange, rate, daily, gas, lakers, crypto, sports, elections, oil, gold, inflation, ethereum, miami, trump, oscar, weather, economics, close, new, week, players, solana, up',
);
const subjects = listed(
  'bitcoin, ethereum, solana, dogecoin, austin, chicago, boston, tesla, nvidia, apple, eur usd, gbp jpy, natural gas, gold, wheat, lakers, celtics, arsenal, arizona, georgia, wisconsin, cpi, unemployment, fed, powell, lagarde, newsom, eurovision, grammy, pulitzer',
);
const aspects = listed(
  'price, close, above, points, primary, exchange rate, this week, monthly, winner, hourly, say, games, temp, daily',
);
const months = listed('jan, feb, mar, apr, may, jun, jul, aug, sep, oct, nov, dec');
const people = listed('ana alvarez, hugo hughes, olga ortiz, zack zhang, vera vega, kira khan, wes walker, ines ito');
const phrases = listed(
  'recession, artificial intelligence, tariff, immigration, drone, peace, social security, rocket',
);
const categories = listed(
  'crypto, climate-and-weather, financials, economics, sports, elections, mentions, entertainment',
);
const statuses = listed('live, closed, finalized');
const misspelt = listed(
  'bitcion, etherium, temprature, philidelphia, unemployement, pirmary, exhange rate, grammmy, lakres, tresury',
);
const absent = listed(
  'zebra crossing, unicorn, curling stones, parliament of fiji, badminton, quantum banana, xylophone, gladiators, volcano, ombudsman',
);

const daySeconds = 86_400;
/** The range of the generated closes: 2024-11-01 to 2026-11-01. */
const [firstS, lastS] = [1_730_419_200, 1_793_491_200];

/**
 * Searches as people and programs send them, none repeated: a broad word, words that narrow it, rare ones, incomplete
 * ones, ids and their prefixes, each also with filters, and words without a hit. The kinds come in turn.
 */
export const searchesOf = (ids: KnownIds, count: number): Search[] => {
  const seen = new Set<string>();
  const searches: Search[] = [];
  for (let round = 0; searches.length < count; round += 1) {
    if (round > count * 10) throw new Error(`there are only ${searches.length} searches`);
    for (const [kind, make] of Object.entries(kinds)) {
      const params = make({ at: at(round), round, ids });
      const key = new URLSearchParams(params).toString();
      if (seen.has(key) || searches.length === count) continue;
      seen.add(key);
      searches.push({ kind, params });
    }
  }
  return searches;
};

interface Turn {
  readonly at: (list: readonly string[], salt?: number) => string;
  readonly round: number;
  readonly ids: KnownIds;
}

/** Picks from a list evenly. Another salt gives another order. */
const at =
  (round: number): Turn['at'] =>
  (list, salt = 0) =>
    list[(round * (2 * salt + 1) + Math.floor(round / list.length) * (salt + 1) + salt * 5) % list.length] ?? '';

const day = (round: number): string => String(1 + ((round * 7) % 28));
const window = (round: number, days: number): { from_ts: string; to_ts: string } => {
  const from = firstS + ((round * 37 * daySeconds) % (lastS - firstS));
  return { from_ts: String(from), to_ts: String(from + days * daySeconds) };
};

const kinds: Readonly<Record<string, (turn: Turn) => Search['params']>> = {
  'one broad word': ({ at: of }) => ({ q: of(broad) }),
  'two words': ({ at: of }) => ({ q: `${of(subjects)} ${of(aspects, 1)}` }),
  'three words': ({ at: of, round }) => ({ q: `${of(subjects)} ${of(months, 2)} ${day(round)}` }),
  'a name and a place': ({ at: of }) => ({ q: `${of(people)} ${of(subjects, 1)}` }),
  'rare words': ({ at: of, round }) => ({ q: `${of(phrases)} ${of(months)} ${day(round + 3)} 2026` }),
  'a number': ({ at: of, round }) => ({ q: `${of(subjects, 1)} ${(20 * 1.07 ** (round % 90)).toFixed(0)}` }),
  'a beginning': ({ at: of, round }) => ({ q: of([...broad, ...subjects], 1).slice(0, 3 + (round % 3)) }),
  'two beginnings': ({ at: of }) => ({ q: `${of(subjects).slice(0, 4)} ${of(aspects, 2).slice(0, 3)}` }),
  'a word and a beginning': ({ at: of }) => ({ q: `${of(subjects, 2)} ${of(aspects, 1).slice(0, 2)}` }),
  'id of a market': ({ at: of, ids }) => ({ q: of(ids.markets) }),
  'id of a market, small letters': ({ at: of, ids }) => ({ q: of(ids.markets, 1).toLowerCase() }),
  'id of an event': ({ at: of, ids }) => ({ q: of(ids.events) }),
  'id of a series': ({ at: of, ids }) => ({ q: of(ids.series) }),
  'beginning of an id': ({ at: of, ids, round }) => ({ q: of(ids.events, 1).slice(0, 6 + (round % 9)) }),
  'a word, one category': ({ at: of }) => ({ q: of(subjects, 1), category: of(categories) }),
  'a word, one status': ({ at: of }) => ({ q: of([...subjects, ...broad], 2), status: of(statuses) }),
  'a word, a month': ({ at: of, round }) => ({ q: of(broad, 1), ...window(round, 30) }),
  'words, all filters': ({ at: of, round }) => ({
    q: `${of(subjects, 2)} ${of(aspects)}`,
    category: of(categories, 1),
    status: of(statuses, 1),
    ...window(round, 200),
  }),
  'filters alone': ({ at: of, round }) => ({ q: '', category: of(categories), ...window(round, 5 + round) }),
  'a second page': ({ at: of, round }) => ({ q: of(broad, 2), offset: String(40 * (1 + (round % 4))) }),
  misspelt: ({ at: of }) => ({ q: `${of(misspelt)} ${of(aspects, 1)}` }),
  absent: ({ at: of, round }) => ({ q: round % 2 === 0 ? of(absent) : `${of(subjects)} ${of(absent, 1)}` }),
};
