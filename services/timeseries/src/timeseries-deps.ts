export const STORING = Symbol('storing');
export const SNAPSHOTS = Symbol('snapshots');
export const PREVIEWS = Symbol('previews');
