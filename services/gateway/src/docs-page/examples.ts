/** A market of the archive, for the fields of the page. */
export interface ExampleMarket {
  readonly ticker: string;
  readonly event: string;
  readonly series: string;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((part, key) => (isObject(part) ? part[key] : undefined), value);

/** The first market of an answer of `GET /markets`, or null. */
export const exampleMarketIn = (answer: unknown): ExampleMarket | null => {
  const [ticker, event, series] = ['ticker', 'event_ticker', 'series'].map((field) => at(answer, 'markets', 0, field));
  if (typeof ticker !== 'string' || typeof event !== 'string' || typeof series !== 'string') return null;
  return { ticker, event, series };
};

/** The key that Swagger UI has stored in this browser, if any. */
export const storedKey = (stored: string | null): string | null => {
  try {
    const value = at(JSON.parse(stored ?? 'null'), 'bearer', 'value');
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
};

/** The document with the market in each path and body that names one. Swagger UI fills its fields with examples. */
export const withExamples = (document: unknown, market: ExampleMarket | null): unknown => {
  if (market === null || !isObject(document)) return document;
  const ofPath = new Map([
    ['ticker', market.ticker],
    ['event_id', market.event],
    ['series_id', market.series],
  ]);
  const ofBody = new Map<string, Json>([
    ['createExport', { ticker: market.ticker, format: 'csv' }],
    ['addToCart', { event: market.event }],
  ]);
  const parameterOf = (parameter: unknown): unknown => {
    const [name, place] = [at(parameter, 'name'), at(parameter, 'in')];
    const example = place === 'path' && typeof name === 'string' ? ofPath.get(name) : undefined;
    return example === undefined || !isObject(parameter) ? parameter : { ...parameter, example };
  };
  const operationOf = (operation: unknown): unknown => {
    if (!isObject(operation)) return operation;
    const { parameters, requestBody, operationId } = operation;
    const example = typeof operationId === 'string' ? ofBody.get(operationId) : undefined;
    const content = at(requestBody, 'content', 'application/json');
    return {
      ...operation,
      ...(Array.isArray(parameters) ? { parameters: parameters.map(parameterOf) } : {}),
      ...(example && isObject(requestBody) && isObject(content)
        ? { requestBody: { ...requestBody, content: { 'application/json': { ...content, example } } } }
        : {}),
    };
  };
  return { ...document, paths: mapValues(document['paths'], (path) => mapValues(path, operationOf)) };
};

const mapValues = (object: unknown, change: (value: unknown) => unknown): unknown =>
  isObject(object) ? Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)])) : object;
