export const BUS = Symbol('bus');
export const STORE = Symbol('event store');
export const SECRETS = Symbol('secrets');
export const ADDRESSES = Symbol('addresses');
