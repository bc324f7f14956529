import { type AlmanacOptions, settingsOf } from './http/settings.js';
import { type Transport, transportOf } from './http/transport.js';
import { billingOf, cartOf, datasetsOf, keysOf, planOf } from './resources/account.js';
import { categoriesOf, eventsOf, searchOf, seriesOf } from './resources/catalogue.js';
import { exportsOf } from './resources/exports.js';
import { marketsOf } from './resources/markets.js';
import { operatorOf } from './resources/operator.js';
import { qualityByPeriodOf, qualityOf } from './resources/quality.js';
import { webhooksOf } from './resources/webhooks.js';

/** A client of one server, with one API key. It has no state, so all parts of a program can share it. */
export class Almanac {
  /** Finds series, events and markets by words or by the start of an id. */
  readonly search: ReturnType<typeof searchOf>;
  /** What is stored of the markets of a series, an event or a category in some days, and what is missing, the worst first. */
  readonly quality: ReturnType<typeof qualityOf>;
  /** The same as sums of all these markets, for each day or hour. */
  readonly qualityByPeriod: ReturnType<typeof qualityByPeriodOf>;
  readonly categories: ReturnType<typeof categoriesOf>;
  readonly series: ReturnType<typeof seriesOf>;
  readonly events: ReturnType<typeof eventsOf>;
  readonly markets: ReturnType<typeof marketsOf>;
  readonly exports: ReturnType<typeof exportsOf>;
  readonly datasets: ReturnType<typeof datasetsOf>;
  readonly cart: ReturnType<typeof cartOf>;
  readonly billing: ReturnType<typeof billingOf>;
  readonly plan: ReturnType<typeof planOf>;
  readonly keys: ReturnType<typeof keysOf>;
  readonly webhooks: ReturnType<typeof webhooksOf>;
  /** Only for accounts of the operator. */
  readonly operator: ReturnType<typeof operatorOf>;
  protected readonly transport: Transport;

  constructor(options: AlmanacOptions = {}) {
    this.transport = transportOf(settingsOf(options));
    this.search = searchOf(this.transport);
    this.quality = qualityOf(this.transport);
    this.qualityByPeriod = qualityByPeriodOf(this.transport);
    this.categories = categoriesOf(this.transport);
    this.series = seriesOf(this.transport);
    this.events = eventsOf(this.transport);
    this.markets = marketsOf(this.transport);
    this.exports = exportsOf(this.transport);
    this.datasets = datasetsOf(this.transport);
    this.cart = cartOf(this.transport);
    this.billing = billingOf(this.transport);
    this.plan = planOf(this.transport);
    this.keys = keysOf(this.transport);
    this.webhooks = webhooksOf(this.transport);
    this.operator = operatorOf(this.transport);
  }
}
