/** A query as people type it, and the id of the hit that they expect first. */
export interface SearchQuery {
  readonly q: string;
  readonly first: string;
  /** What the query tests. */
  readonly about: QueryKind;
}

type QueryKind = 'id' | 'title' | 'words' | 'event' | 'number' | 'accents' | 'joined' | 'names' | 'fill' | 'spelling';

const of =
  (about: QueryKind) =>
  ([q, first]: readonly [string, string]): SearchQuery => ({ q, first, about });

/** Sixty queries for Kalshi's and Polymarket's catalogues of February 2025 to June 2026. */
export const queries: readonly SearchQuery[] = [
  ...(
    [
      ['KXBTC15M', 'KXBTC15M'],
      ['kxbtc15m-26apr041230-30', 'KXBTC15M-26APR041230-30'],
      ['btc15m', 'KXBTC15M'],
      ['kxcpicoreyoy-25jul', 'KXCPICOREYOY-25JUL'],
      ['btc-updown-5m-1780876500', 'btc-updown-5m-1780876500'],
    ] as const
  ).map(of('id')),
  ...(
    [
      ['fed funds rate', 'KXFED'],
      ['recession', 'KXRECSSNBER'],
      ['price of gold', 'KXGOLD'],
      ['Oil rigs', 'KXOILRIGS'],
    ] as const
  ).map(of('title')),
  ...(
    [
      ['canada recession', 'KXCANRECESSION-27MAR01'],
      ['pope taylor swift', 'KXPOPESWIFT-27'],
      ['humanoid robot mars', 'KXROBOTMARS-35'],
      ['judy shelton', 'KXFEDMENTION-26MAR-JUDY'],
      ['core cpi july 2.7', 'KXCPICOREYOY-25JUL-T2.7'],
      ['costco hot dog', 'KXCOSTCOHOTDOG'],
      ['wti oil friday', 'KXWTIW-25FEB28'],
      ['highest temperature denver', 'KXHIGHDEN-25FEB24'],
    ] as const
  ).map(of('words')),
  ...(
    [
      ['atlanta miami 3.5 runs', 'KXMLBSPREAD-26MAY191610ATLMIA-ATL4'],
      ['miami atlanta -miami by over 3.5', 'KXMLBSPREAD-26MAY191610ATLMIA-ATL4'],
      ['psg arsenal 2.5 goals', 'KXUCLSPREAD-26MAY30PSGARS-ARS2'],
      ['cincinnati philadelphia 5 innings 2.5', 'KXMLBF5SPREAD-26MAY191840CINPHI-CIN3'],
      ['chelsea tottenham 1st half', 'KXEPL1HSPREAD-26MAY19CFCTOT-CFC1'],
      ['brighton manchester united 1st half 1.5', 'KXEPL1HSPREAD-26MAY24BRIMUN-BRI1'],
      ['washington wnba dallas 1h 6.5', 'KXWNBA1HSPREAD-26MAY18WSHDAL-DAL7'],
      ['fed mention gold', 'KXFEDMENTION-26MAR-GOLD'],
    ] as const
  ).map(of('event')),
  ...(
    [
      ['government shutdowns', 'KXNUMSHUTDOWNS-27JAN01'],
      ['earthquakes japan', 'KXEARTHQUAKEJAPAN-30'],
      ['hottest years', 'KXGTEMP-25'],
      ['bankrupt company', 'KXBANKRUPTS'],
      ['mortgage rates high', 'KXFRMMAX'],
      ['rotten tomato mickey 17', 'KXRTMICKEY17'],
    ] as const
  ).map(of('number')),
  ...(
    [
      ['beyonce weekly streams', 'KXARTISTSTREAMS-BEY26MAY21'],
      ['sao paulo governor', 'KXSPGOV-26OCT04'],
      ['florentino perez', 'KXRMALEAVE-27JAN01'],
      ['rufus du sol', 'KXARTISTSTREAMSY-RFUSOL26DEC31'],
      ['jose maria balcazar', 'KXPERUIMPEACH-26JUL29'],
      ['pokémon charizard', 'KXPOKEMON-26MAYZARDEX'],
      ['velada ano vi rivers', 'KXBOXING-26JUL25RIVERORO'],
    ] as const
  ).map(of('accents')),
  ...(
    [
      ['attend whitehouse briefing', 'KXWHPRESSBRIEFING'],
      ['chat gpt cost', 'KXGPTCOST-26'],
      ['space x mars', 'KXSPACEXMARS-30'],
      ['snow flake customers', 'KXSNOWFLAKE-26MAYCUST'],
      ['bit coin reserve texas', 'KXTEXASBTC-26'],
      ['birdflu vaccine', 'KXH5VACCINE-26'],
    ] as const
  ).map(of('joined')),
  ...(
    [
      ['bitcoin 15 minute', 'KXBTC15M'],
      ['bitcoin 15m', 'KXBTC15M'],
      ['btc 15 min', 'KXBTC15M'],
      ['bitcoin 5 minutes', 'btc-updown-5m'],
      ['ripple low', 'KXXRPMINMON-XRP-26MAY31'],
      ['doge hit', 'KXDOGEMAX1'],
      ['usd yen', 'KXJPY'],
    ] as const
  ).map(of('names')),
  ...(
    [
      ['will there be a recession in canada', 'KXCANRECESSION-27MAR01'],
      ['who will be the next pope', 'KXNEWPOPE-70'],
      ['what is the price of dogecoin tomorrow', 'KXDOGE-25FEB2517'],
    ] as const
  ).map(of('fill')),
  ...(
    [
      ['recesion canada', 'KXCANRECESSION-27MAR01'],
      ['bitcion 15 minutes', 'KXBTC15M'],
      ['earthqake japan', 'KXEARTHQUAKEJAPAN-30'],
      ['goverment shutdwon this year', 'KXSHUTDOWNBY-25'],
      ['nvidea earnings', 'KXEARNINGSMENTIONNVDA-26MAY20'],
      ['taylor swfit bridesmaid', 'KXTAYLORSWIFTWEDDING-30JAN01'],
    ] as const
  ).map(of('spelling')),
];
