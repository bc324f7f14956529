export const STORING = Symbol('storing');
export const SNAPSHOTS = Symbol('snapshots');
export const PREVIEWS = Symbol('previews');
export const READS = Symbol('reads');
