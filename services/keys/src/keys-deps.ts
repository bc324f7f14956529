export const BUS = Symbol('bus');
export const STORE = Symbol('event store');
export const PLANS = Symbol('plans');
export const LAST_USES = Symbol('last uses');
