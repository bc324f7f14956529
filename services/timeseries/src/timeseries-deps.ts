export const STORING = Symbol('storing');
export const TRADES = Symbol('trades');
export const SNAPSHOTS = Symbol('snapshots');
export const PREVIEWS = Symbol('previews');
