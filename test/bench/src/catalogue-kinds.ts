/** One series of the generated catalogue: a kind about a subject, such as the hourly prices of Bitcoin. */
export interface Kind {
  /** Follows the subject's code in tickers. */
  readonly code: string;
  readonly category: string;
  readonly categoryLabel: string;
  /** 25 entries of the form `CODE Name`. */
  readonly subjects: readonly string[];
  readonly label: (subject: string) => string;
  /** Number of events of each series, and of markets of each event. */
  readonly events: number;
  readonly markets: number;
  /** How long a market is open. */
  readonly openForS: number;
  readonly shape?: 'rolling';
  readonly eventTitle: (subject: string, when: string) => string;
  readonly market: (subject: string, when: string, at: Place) => { suffix: string; title: string; strike?: number };
}

/** The position of a market in its event: the `k`th of `of`, for a value around `centre`. */
export interface Place {
  readonly k: number;
  readonly of: number;
  readonly centre: number;
}

const listed = (text: string): string[] => text.split(', ');
const hourS = 3_600;
const dayS = 24 * hourS;

const coins = listed(
  'BTC Bitcoin, ETH Ethereum, SOL Solana, XRP Ripple, DOGE Dogecoin, ADA Cardano, AVAX Avalanche, LINK Chainlink, DOT Polkadot, LTC Litecoin, BCH Bitcoin Cash, SHIB Shiba Inu, UNI Uniswap, ATOM Cosmos, XLM Stellar, ETC Ethereum Classic, FIL Filecoin, APT Aptos, ARB Arbitrum, OP Optimism, NEAR Near Protocol, INJ Injective, SUI Sui, TON Toncoin, PEPE Pepe',
);
const cities = listed(
  'NY New York City, CHI Chicago, MIA Miami, AUS Austin, DEN Denver, LAX Los Angeles, PHIL Philadelphia, HOU Houston, SEA Seattle, BOS Boston, ATL Atlanta, DAL Dallas, PHX Phoenix, SFO San Francisco, DC Washington DC, LV Las Vegas, MSP Minneapolis, DET Detroit, NOLA New Orleans, SLC Salt Lake City, LON London, PAR Paris, TYO Tokyo, ZRH Zürich, SAO São Paulo',
);
const indices = listed(
  'INX S&P 500, NDX Nasdaq-100, DJI Dow Jones, RUT Russell 2000, VIX VIX, DAX DAX, FTSE FTSE 100, N225 Nikkei 225, HSI Hang Seng, CAC CAC 40, AAPL Apple, MSFT Microsoft, NVDA Nvidia, AMZN Amazon, GOOG Alphabet, META Meta, TSLA Tesla, NFLX Netflix, AMD AMD, INTC Intel, JPM JPMorgan, BAC Bank of America, XOM Exxon Mobil, WMT Walmart, DIS Disney',
);
const currencies = listed(
  'EURUSD EUR/USD, USDJPY USD/JPY, GBPUSD GBP/USD, USDCHF USD/CHF, AUDUSD AUD/USD, USDCAD USD/CAD, NZDUSD NZD/USD, EURGBP EUR/GBP, EURJPY EUR/JPY, GBPJPY GBP/JPY, USDMXN USD/MXN, USDBRL USD/BRL, USDZAR USD/ZAR, USDTRY USD/TRY, USDINR USD/INR, USDCNY USD/CNY, USDKRW USD/KRW, USDSEK USD/SEK, USDNOK USD/NOK, USDPLN USD/PLN, EURCHF EUR/CHF, AUDJPY AUD/JPY, CADJPY CAD/JPY, USDSGD USD/SGD, USDHKD USD/HKD',
);
const goods = listed(
  'GAS US gas, WTI WTI oil, BRENT Brent oil, NATGAS Natural gas, GOLD Gold, SILVER Silver, COPPER Copper, PLAT Platinum, PALL Palladium, CORN Corn, WHEAT Wheat, SOY Soybean, COFFEE Coffee, COCOA Cocoa, SUGAR Sugar, COTTON Cotton, CATTLE Live cattle, HOGS Lean hogs, LUMBER Lumber, EGGS Eggs, MILK Milk, RICE Rice, OJ Orange juice, DIESEL Diesel, URAN Uranium',
);
const teams = listed(
  'LAL Los Angeles Lakers, BOSC Boston Celtics, GSW Golden State Warriors, NYK New York Knicks, MIAH Miami Heat, CHIB Chicago Bulls, DALM Dallas Mavericks, DENN Denver Nuggets, PHI76 Philadelphia 76ers, MIL Milwaukee Bucks, KC Kansas City Chiefs, BUF Buffalo Bills, DALC Dallas Cowboys, PHIE Philadelphia Eagles, SF49 San Francisco 49ers, NYY New York Yankees, LAD Los Angeles Dodgers, BOSR Boston Red Sox, CHC Chicago Cubs, HOUA Houston Astros, ARS Arsenal, LIV Liverpool, MCI Manchester City, RMA Real Madrid, BAR Barcelona',
);
const states = listed(
  'AZ Arizona, GA Georgia, MI Michigan, NV Nevada, NC North Carolina, PA Pennsylvania, WI Wisconsin, FL Florida, TX Texas, OH Ohio, IA Iowa, NH New Hampshire, ME Maine, MN Minnesota, VA Virginia, CO Colorado, NM New Mexico, MT Montana, NE Nebraska, KS Kansas, MO Missouri, IN Indiana, WV West Virginia, AK Alaska, CA California',
);
const figures = listed(
  'CPI CPI inflation, CORE Core CPI, PCE PCE inflation, GDP GDP growth, U3 Unemployment rate, PAYROLL Nonfarm payrolls, JOBLESS Jobless claims, RETAIL Retail sales, FED Fed funds rate, ECB ECB deposit rate, BOE Bank of England rate, BOJ Bank of Japan rate, HOUSING Housing starts, HOMES Existing home sales, MORT Mortgage rate, PPI PPI inflation, ISM ISM manufacturing, SENT Consumer sentiment, DEBT National debt, TRADE Trade deficit, WAGES Average hourly earnings, CARS Car sales, TSA TSA travelers, FLIGHTS Flight cancellations, TREAS 10-year Treasury yield',
);
const speakers = listed(
  'POWELL Jerome Powell, LAGARDE Christine Lagarde, TRUMP Donald Trump, VANCE JD Vance, NEWSOM Gavin Newsom, STARMER Keir Starmer, MACRON Emmanuel Macron, MUSK Elon Musk, COOK Tim Cook, HUANG Jensen Huang, ALTMAN Sam Altman, ZUCK Mark Zuckerberg, BEZOS Jeff Bezos, BUFFETT Warren Buffett, DIMON Jamie Dimon, YELLEN Janet Yellen, BESSENT Scott Bessent, RUBIO Marco Rubio, AOC Alexandria Ocasio-Cortez, SANDERS Bernie Sanders, PELOSI Nancy Pelosi, JOHNSON Mike Johnson, THUNE John Thune, HARRIS Kamala Harris, MODI Narendra Modi',
);
const prizes = listed(
  'OSCARPIC Best Picture Oscar, OSCARACT Best Actor Oscar, OSCARACTR Best Actress Oscar, OSCARDIR Best Director Oscar, GRAMAOTY Album of the Year Grammy, GRAMSOTY Song of the Year Grammy, GRAMNEW Best New Artist Grammy, EMMYDRAMA Outstanding Drama Emmy, EMMYCOM Outstanding Comedy Emmy, TONYMUS Best Musical Tony, NOBELPEACE Nobel Peace Prize, NOBELLIT Nobel Prize in Literature, BOOKER Booker Prize, PULITZER Pulitzer Prize, TIMEPOY Time Person of the Year, BALLON Ballon d’Or, HEISMAN Heisman Trophy, NBAMVP NBA MVP, NFLMVP NFL MVP, MLBMVP MLB MVP, CYYOUNG Cy Young Award, EUROVIS Eurovision, SPOTIFY Top Spotify artist, BILLBOARD Billboard number one, BOXOFFICE Top weekend film',
);
const phrases = listed(
  'inflation, recession, tariff, artificial intelligence, border, crypto, bitcoin, climate, housing, ukraine, china, middle class, oil, energy, jobs, wages, interest rates, debt, deficit, immigration, election, freedom, billion, trillion, peace, war, tax cut, social security, drone, rocket',
);
const people = listed(
  'Ana Alvarez, Ben Brooks, Carla Chen, Dmitri Diaz, Elena Evans, Farid Foster, Grace Garcia, Hugo Hughes, Ines Ito, Jamal Jones, Kira Khan, Liam Lopez, Maya Miller, Noah Nguyen, Olga Ortiz, Pablo Park, Quinn Quist, Rosa Reyes, Sam Silva, Tara Turner, Umar Usman, Vera Vega, Wes Walker, Xena Xu, Yara Young, Zack Zhang',
);

// Created once: toLocaleString creates one on each call, and there are millions.
const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

/** The `k`th of many names: people in turn, with a number from the second round on. */
const personOf = (k: number): string => {
  const round = Math.floor(k / people.length);
  return `${people[k % people.length] ?? ''}${round === 0 ? '' : ` ${round + 1}`}`;
};

const ladder =
  (step: number, title: (subject: string, when: string, strike: string) => string, unit = ''): Kind['market'] =>
  (subject, when, { k, of, centre }) => {
    const strike = Number((centre + (k - Math.floor(of / 2)) * step * centre).toFixed(4));
    const shown = grouped.format(strike);
    return { suffix: `T${strike}`, title: title(subject, when, `${unit}${shown}`), strike };
  };

const priced = (subject: string, when: string, strike: string): string =>
  `Will the price of ${subject} be above ${strike} on ${when}?`;

/** Twelve kinds of 25 series: 300 series, 20,000 events and 2,000,000 markets, as unevenly distributed as a venue's. */
export const kinds: readonly Kind[] = [
  {
    code: 'D',
    category: 'crypto',
    categoryLabel: 'Crypto',
    subjects: coins,
    events: 200,
    markets: 150,
    openForS: hourS,
    label: (subject) => `${subject} price, hourly`,
    eventTitle: (subject, when) => `${subject} price on ${when}?`,
    market: ladder(0.002, priced, '$'),
  },
  {
    code: '15M',
    category: 'crypto',
    categoryLabel: 'Crypto',
    subjects: coins,
    events: 100,
    markets: 1,
    openForS: 900,
    shape: 'rolling',
    label: (subject) => `${subject} up or down, 15 minutes`,
    eventTitle: (subject, when) => `${subject} up or down at ${when}?`,
    market: (subject, when) => ({
      suffix: '00',
      title: `${subject} price up in the 15 minutes to ${when}?`,
    }),
  },
  {
    code: 'HIGH',
    category: 'climate-and-weather',
    categoryLabel: 'Climate and Weather',
    subjects: cities,
    events: 90,
    markets: 10,
    openForS: dayS,
    label: (subject) => `Highest temperature in ${subject}`,
    eventTitle: (subject, when) => `Highest temperature in ${subject} on ${when}?`,
    market: (subject, when, { k, centre }) => {
      const low = Math.round(centre % 60) + 2 * k + 20;
      return {
        suffix: `B${low}.5`,
        title: `Will the high temp in ${subject} be ${low}-${low + 1}° on ${when}?`,
        strike: low,
      };
    },
  },
  {
    code: 'CLOSE',
    category: 'financials',
    categoryLabel: 'Financials',
    subjects: indices,
    events: 90,
    markets: 200,
    openForS: dayS,
    label: (subject) => `${subject} daily close`,
    eventTitle: (subject, when) => `Where does ${subject} close on ${when}?`,
    market: ladder(0.001, (subject, when, strike) => `Will ${subject} close above ${strike} on ${when}?`),
  },
  {
    code: 'FX',
    category: 'financials',
    categoryLabel: 'Financials',
    subjects: currencies,
    events: 60,
    markets: 150,
    openForS: dayS,
    label: (subject) => `${subject} exchange rate`,
    eventTitle: (subject, when) => `${subject} rate on ${when}?`,
    market: ladder(5e-4, (subject, when, strike) => `Will the ${subject} open rate be above ${strike} on ${when}?`),
  },
  {
    code: 'W',
    category: 'economics',
    categoryLabel: 'Economics',
    subjects: goods,
    events: 40,
    markets: 180,
    openForS: 7 * dayS,
    label: (subject) => `${subject} prices this week`,
    eventTitle: (subject, when) => `${subject} prices in the week to ${when}?`,
    market: ladder(0.001, priced, '$'),
  },
  {
    code: 'GAME',
    category: 'sports',
    categoryLabel: 'Sports',
    subjects: teams,
    events: 110,
    markets: 40,
    openForS: 3 * dayS,
    label: (subject) => `${subject} games`,
    eventTitle: (subject, when) => `${subject} game of ${when}`,
    market: (subject, when, { k }) => {
      const line = k - 20 + 0.5;
      return {
        suffix: `S${k}`,
        title: `Will the ${subject} win by more than ${line} points on ${when}?`,
        strike: line,
      };
    },
  },
  {
    code: 'PROPS',
    category: 'sports',
    categoryLabel: 'Sports',
    subjects: teams,
    events: 50,
    markets: 120,
    openForS: 2 * dayS,
    label: (subject) => `${subject} player points`,
    eventTitle: (subject, when) => `${subject} players on ${when}`,
    market: (subject, when, { k }) => {
      const points = 10 + 5 * (k % 5);
      const player = personOf(Math.floor(k / 5));
      return {
        suffix: `${player.replaceAll(' ', '').toUpperCase()}-${points}`,
        title: `${player} of the ${subject}: ${points}+ points on ${when}?`,
        strike: points,
      };
    },
  },
  {
    code: 'RACE',
    category: 'elections',
    categoryLabel: 'Elections',
    subjects: states,
    events: 20,
    markets: 50,
    openForS: 60 * dayS,
    label: (subject) => `${subject} primaries`,
    eventTitle: (subject, when) => `Who wins the ${subject} primary of ${when}?`,
    market: (subject, when, { k }) => ({
      suffix: personOf(k).replaceAll(' ', '').toUpperCase(),
      title: `Will ${personOf(k)} win the ${subject} primary of ${when}?`,
    }),
  },
  {
    code: 'M',
    category: 'economics',
    categoryLabel: 'Economics',
    subjects: figures,
    events: 24,
    markets: 25,
    openForS: 30 * dayS,
    label: (subject) => `${subject}, monthly`,
    eventTitle: (subject, when) => `${subject} released on ${when}?`,
    market: ladder(0.01, (subject, when, strike) => `Will ${subject} come in above ${strike} on ${when}?`),
  },
  {
    code: 'MENTION',
    category: 'mentions',
    categoryLabel: 'Mentions',
    subjects: speakers,
    events: 10,
    markets: 61,
    openForS: 14 * dayS,
    label: (subject) => `What will ${subject} say?`,
    eventTitle: (subject, when) => `What will ${subject} say on ${when}?`,
    market: (subject, when, { k }) => {
      const phrase = phrases[k % phrases.length] ?? '';
      const times = 1 + Math.floor(k / phrases.length);
      return {
        suffix: `${phrase.replaceAll(' ', '').toUpperCase()}${times}`,
        title: `Will ${subject} say “${phrase}” ${times}+ times on ${when}?`,
        strike: times,
      };
    },
  },
  {
    code: 'AWARD',
    category: 'entertainment',
    categoryLabel: 'Entertainment',
    subjects: prizes,
    events: 6,
    markets: 365,
    openForS: 90 * dayS,
    label: (subject) => `${subject} winner`,
    eventTitle: (subject, when) => `Who wins the ${subject} on ${when}?`,
    market: (subject, when, { k }) => ({
      suffix: personOf(k).replaceAll(' ', '').toUpperCase(),
      title: `Will ${personOf(k)} win the ${subject} on ${when}?`,
    }),
  },
];
