/** One series of the generated catalogue: a kind about a subject, such as the hourly prices of Bitcoin. */
export interface Kind {
  /** Follows the subject's code in tickers. */
  readonly code: string;
  readonly category: string;
  /** 25 entries of the form `CODE Name`. */
  readonly subjects: readonly string[];
  /** Number of events of each series, and of markets of each event. */
  readonly events: number;
  readonly markets: number;
  /** How long a market is open. */
  readonly openForS: number;
  readonly shape?: 'rolling';
  /** Texts with `@` for the subject and `#` for the time. */
  readonly label: string;
  readonly eventTitle: string;
  /** The title is such a text, too. */
  readonly market: (at: Place) => { suffix: string; title: string; strike?: number };
}

/** The position of a market in its event: the `k`th of `of`, for a value around `centre`. */
export interface Place {
  readonly k: number;
  readonly of: number;
  readonly centre: number;
}

const hourS = 3_600;
const dayS = 24 * hourS;

const words = {
  coins:
    'BTC Bitcoin, ETH Ethereum, SOL Solana, XRP Ripple, DOGE Dogecoin, ADA Cardano, AVAX Avalanche, LINK Chainlink, DOT Polkadot, LTC Litecoin, BCH Bitcoin Cash, SHIB Shiba Inu, UNI Uniswap, ATOM Cosmos, XLM Stellar, ETC Ethereum Classic, FIL Filecoin, APT Aptos, ARB Arbitrum, OP Optimism, NEAR Near Protocol, INJ Injective, SUI Sui, TON Toncoin, PEPE Pepe',
  cities:
    'NY New York City, CHI Chicago, MIA Miami, AUS Austin, DEN Denver, LAX Los Angeles, PHIL Philadelphia, HOU Houston, SEA Seattle, BOS Boston, ATL Atlanta, DAL Dallas, PHX Phoenix, SFO San Francisco, DC Washington DC, LV Las Vegas, MSP Minneapolis, DET Detroit, NOLA New Orleans, SLC Salt Lake City, LON London, PAR Paris, TYO Tokyo, ZRH Zürich, SAO São Paulo',
  indices:
    'INX S&P 500, NDX Nasdaq-100, DJI Dow Jones, RUT Russell 2000, VIX VIX, DAX DAX, FTSE FTSE 100, N225 Nikkei 225, HSI Hang Seng, CAC CAC 40, AAPL Apple, MSFT Microsoft, NVDA Nvidia, AMZN Amazon, GOOG Alphabet, META Meta, TSLA Tesla, NFLX Netflix, AMD AMD, INTC Intel, JPM JPMorgan, BAC Bank of America, XOM Exxon Mobil, WMT Walmart, DIS Disney',
  currencies:
    'EURUSD EUR/USD, USDJPY USD/JPY, GBPUSD GBP/USD, USDCHF USD/CHF, AUDUSD AUD/USD, USDCAD USD/CAD, NZDUSD NZD/USD, EURGBP EUR/GBP, EURJPY EUR/JPY, GBPJPY GBP/JPY, USDMXN USD/MXN, USDBRL USD/BRL, USDZAR USD/ZAR, USDTRY USD/TRY, USDINR USD/INR, USDCNY USD/CNY, USDKRW USD/KRW, USDSEK USD/SEK, USDNOK USD/NOK, USDPLN USD/PLN, EURCHF EUR/CHF, AUDJPY AUD/JPY, CADJPY CAD/JPY, USDSGD USD/SGD, USDHKD USD/HKD',
  goods:
    'GAS US gas, WTI WTI oil, BRENT Brent oil, NATGAS Natural gas, GOLD Gold, SILVER Silver, COPPER Copper, PLAT Platinum, PALL Palladium, CORN Corn, WHEAT Wheat, SOY Soybean, COFFEE Coffee, COCOA Cocoa, SUGAR Sugar, COTTON Cotton, CATTLE Live cattle, HOGS Lean hogs, LUMBER Lumber, EGGS Eggs, MILK Milk, RICE Rice, OJ Orange juice, DIESEL Diesel, URAN Uranium',
  teams:
    'LAL Los Angeles Lakers, BOSC Boston Celtics, GSW Golden State Warriors, NYK New York Knicks, MIAH Miami Heat, CHIB Chicago Bulls, DALM Dallas Mavericks, DENN Denver Nuggets, PHI76 Philadelphia 76ers, MIL Milwaukee Bucks, KC Kansas City Chiefs, BUF Buffalo Bills, DALC Dallas Cowboys, PHIE Philadelphia Eagles, SF49 San Francisco 49ers, NYY New York Yankees, LAD Los Angeles Dodgers, BOSR Boston Red Sox, CHC Chicago Cubs, HOUA Houston Astros, ARS Arsenal, LIV Liverpool, MCI Manchester City, RMA Real Madrid, BAR Barcelona',
  states:
    'AZ Arizona, GA Georgia, MI Michigan, NV Nevada, NC North Carolina, PA Pennsylvania, WI Wisconsin, FL Florida, TX Texas, OH Ohio, IA Iowa, NH New Hampshire, ME Maine, MN Minnesota, VA Virginia, CO Colorado, NM New Mexico, MT Montana, NE Nebraska, KS Kansas, MO Missouri, IN Indiana, WV West Virginia, AK Alaska, CA California',
  figures:
    'CPI CPI inflation, CORE Core CPI, PCE PCE inflation, GDP GDP growth, U3 Unemployment rate, PAYROLL Nonfarm payrolls, JOBLESS Jobless claims, RETAIL Retail sales, FED Fed funds rate, ECB ECB deposit rate, BOE Bank of England rate, BOJ Bank of Japan rate, HOUSING Housing starts, HOMES Existing home sales, MORT Mortgage rate, PPI PPI inflation, ISM ISM manufacturing, SENT Consumer sentiment, DEBT National debt, TRADE Trade deficit, WAGES Average hourly earnings, CARS Car sales, TSA TSA travelers, FLIGHTS Flight cancellations, TREAS 10-year Treasury yield',
  speakers:
    'POWELL Jerome Powell, LAGARDE Christine Lagarde, TRUMP Donald Trump, VANCE JD Vance, NEWSOM Gavin Newsom, STARMER Keir Starmer, MACRON Emmanuel Macron, MUSK Elon Musk, COOK Tim Cook, HUANG Jensen Huang, ALTMAN Sam Altman, ZUCK Mark Zuckerberg, BEZOS Jeff Bezos, BUFFETT Warren Buffett, DIMON Jamie Dimon, YELLEN Janet Yellen, BESSENT Scott Bessent, RUBIO Marco Rubio, AOC Alexandria Ocasio-Cortez, SANDERS Bernie Sanders, PELOSI Nancy Pelosi, JOHNSON Mike Johnson, THUNE John Thune, HARRIS Kamala Harris, MODI Narendra Modi',
  prizes:
    'OSCARPIC Best Picture Oscar, OSCARACT Best Actor Oscar, OSCARACTR Best Actress Oscar, OSCARDIR Best Director Oscar, GRAMAOTY Album of the Year Grammy, GRAMSOTY Song of the Year Grammy, GRAMNEW Best New Artist Grammy, EMMYDRAMA Outstanding Drama Emmy, EMMYCOM Outstanding Comedy Emmy, TONYMUS Best Musical Tony, NOBELPEACE Nobel Peace Prize, NOBELLIT Nobel Prize in Literature, BOOKER Booker Prize, PULITZER Pulitzer Prize, TIMEPOY Time Person of the Year, BALLON Ballon d’Or, HEISMAN Heisman Trophy, NBAMVP NBA MVP, NFLMVP NFL MVP, MLBMVP MLB MVP, CYYOUNG Cy Young Award, EUROVIS Eurovision, SPOTIFY Top Spotify artist, BILLBOARD Billboard number one, BOXOFFICE Top weekend film',
  phrases:
    'inflation, recession, tariff, artificial intelligence, border, crypto, bitcoin, climate, housing, ukraine, china, middle class, oil, energy, jobs, wages, interest rates, debt, deficit, immigration, election, freedom, billion, trillion, peace, war, tax cut, social security, drone, rocket',
  people:
    'Ana Alvarez, Ben Brooks, Carla Chen, Dmitri Diaz, Elena Evans, Farid Foster, Grace Garcia, Hugo Hughes, Ines Ito, Jamal Jones, Kira Khan, Liam Lopez, Maya Miller, Noah Nguyen, Olga Ortiz, Pablo Park, Quinn Quist, Rosa Reyes, Sam Silva, Tara Turner, Umar Usman, Vera Vega, Wes Walker, Xena Xu, Yara Young, Zack Zhang',
} as const;

const listed = (text: string): string[] => text.split(', ');
const [phrases, people] = [listed(words.phrases), listed(words.people)];

// Created once: toLocaleString creates one on each call, and there are millions.
const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

/** The `k`th of many names: people in turn, with a number from the second round on. */
const personOf = (k: number): string => {
  const round = Math.floor(k / people.length);
  return `${people[k % people.length] ?? ''}${round === 0 ? '' : ` ${round + 1}`}`;
};

const idOf = (name: string): string => name.replaceAll(' ', '').toUpperCase();

/** Markets with strikes one above the other. The title has `%` for the strike. */
const ladder =
  (step: number, title: string): Kind['market'] =>
  ({ k, of, centre }) => {
    const strike = Number((centre + (k - Math.floor(of / 2)) * step * centre).toFixed(4));
    return { suffix: `T${strike}`, title: title.replace('%', grouped.format(strike)), strike };
  };

const priced = 'Will the price of @ be above $% on #?';

/** One market for each of many people. */
const perPerson =
  (title: string): Kind['market'] =>
  ({ k }) => ({ suffix: idOf(personOf(k)), title: title.replace('%', personOf(k)) });

const counted = (events: number, markets: number, openForS: number) => ({ events, markets, openForS });
const titled = (label: string, eventTitle: string) => ({ label, eventTitle });

/** Twelve kinds of 25 series: 300 series, 20,000 events and 2,000,000 markets, as unevenly distributed as a venue's. */
export const kinds: readonly Kind[] = [
  {
    code: 'D',
    category: 'Crypto',
    subjects: listed(words.coins),
    ...counted(200, 150, hourS),
    ...titled('@ price, hourly', '@ price on #?'),
    market: ladder(0.002, priced),
  },
  {
    code: '15M',
    category: 'Crypto',
    subjects: listed(words.coins),
    shape: 'rolling',
    ...counted(100, 1, 900),
    ...titled('@ up or down, 15 minutes', '@ up or down at #?'),
    market: () => ({ suffix: '00', title: '@ price up in the 15 minutes to #?' }),
  },
  {
    code: 'HIGH',
    category: 'Climate and Weather',
    subjects: listed(words.cities),
    ...counted(90, 10, dayS),
    ...titled('Highest temperature in @', 'Highest temperature in @ on #?'),
    market: ({ k, centre }) => {
      const strike = Math.round(centre % 60) + 2 * k + 20;
      const title = `Will the high temp in @ be ${strike}-${strike + 1}° on #?`;
      return { suffix: `B${strike}.5`, title, strike };
    },
  },
  {
    code: 'CLOSE',
    category: 'Financials',
    subjects: listed(words.indices),
    ...counted(90, 200, dayS),
    ...titled('@ daily close', 'Where does @ close on #?'),
    market: ladder(0.001, 'Will @ close above % on #?'),
  },
  {
    code: 'FX',
    category: 'Financials',
    subjects: listed(words.currencies),
    ...counted(60, 150, dayS),
    ...titled('@ exchange rate', '@ rate on #?'),
    market: ladder(5e-4, 'Will the @ open rate be above % on #?'),
  },
  {
    code: 'W',
    category: 'Economics',
    subjects: listed(words.goods),
    ...counted(40, 180, 7 * dayS),
    ...titled('@ prices this week', '@ prices in the week to #?'),
    market: ladder(0.001, priced),
  },
  {
    code: 'GAME',
    category: 'Sports',
    subjects: listed(words.teams),
    ...counted(110, 40, 3 * dayS),
    ...titled('@ games', '@ game of #'),
    market: ({ k }) => {
      const strike = k - 20 + 0.5;
      return { suffix: `S${k}`, title: `Will the @ win by more than ${strike} points on #?`, strike };
    },
  },
  {
    code: 'PROPS',
    category: 'Sports',
    subjects: listed(words.teams),
    ...counted(50, 120, 2 * dayS),
    ...titled('@ player points', '@ players on #'),
    market: ({ k }) => {
      const [player, strike] = [personOf(Math.floor(k / 5)), 10 + 5 * (k % 5)];
      const suffix = `${idOf(player)}-${strike}`;
      return { suffix, title: `${player} of the @: ${strike}+ points on #?`, strike };
    },
  },
  {
    code: 'RACE',
    category: 'Elections',
    subjects: listed(words.states),
    ...counted(20, 50, 60 * dayS),
    ...titled('@ primaries', 'Who wins the @ primary of #?'),
    market: perPerson('Will % win the @ primary of #?'),
  },
  {
    code: 'M',
    category: 'Economics',
    subjects: listed(words.figures),
    ...counted(24, 25, 30 * dayS),
    ...titled('@, monthly', '@ released on #?'),
    market: ladder(0.01, 'Will @ come in above % on #?'),
  },
  {
    code: 'MENTION',
    category: 'Mentions',
    subjects: listed(words.speakers),
    ...counted(10, 61, 14 * dayS),
    ...titled('What will @ say?', 'What will @ say on #?'),
    market: ({ k }) => {
      const [phrase = '', strike] = [phrases[k % phrases.length], 1 + Math.floor(k / phrases.length)];
      return { suffix: `${idOf(phrase)}${strike}`, title: `Will @ say “${phrase}” ${strike}+ times on #?`, strike };
    },
  },
  {
    code: 'AWARD',
    category: 'Entertainment',
    subjects: listed(words.prizes),
    ...counted(6, 365, 90 * dayS),
    ...titled('@ winner', 'Who wins the @ on #?'),
    market: perPerson('Will % win the @ on #?'),
  },
];
